"""A likelihood of your own, streamed: Poisson regression by a Gaussian variational primitive.

Natural parameters of a Gaussian: its precision, and precision times mean, which add up over
minibatches. The gradient here is written out with NumPy; with JAX or PyTorch it is one call
(jax.grad, torch.autograd.grad) of the log likelihood.
"""

import numpy as np

import sdabayes

FEATURES = 3
TRUTH = np.array([0.5, -0.3, 0.8])


def log_likelihood_gradients(w, x, y):
    """Gradient and minus the Hessian of sum_i y_i x_i'w - exp(x_i'w)."""
    rate = np.exp(x @ w)
    return x.T @ (y - rate), (x.T * rate) @ x


def primitive(data, prior, steps=30, draws=8):
    """Natural-gradient variational inference (a Gaussian's natural gradient needs only expected
    gradients and Hessians of the log likelihood)."""
    x, y = data
    random = np.random.default_rng(len(y))
    natural = prior.copy()
    for step in range(steps):
        precision, shift = natural[:, :-1], natural[:, -1]
        mean = np.linalg.solve(precision, shift)
        spread = np.linalg.cholesky(np.linalg.inv(precision))
        gradient, curvature = np.zeros(FEATURES), np.zeros((FEATURES, FEATURES))
        for w in mean + random.standard_normal((draws, FEATURES)) @ spread.T:
            of_draw = log_likelihood_gradients(w, x, y)
            gradient += of_draw[0] / draws
            curvature += of_draw[1] / draws
        target = prior + np.column_stack([curvature, curvature @ mean + gradient])
        natural += (target - natural) / (1 + step / 3)
    return natural


def stream(minibatches=200, rows=100):
    random = np.random.default_rng(1)
    for _ in range(minibatches):
        x = random.normal(0, 0.7, (rows, FEATURES))
        yield x, random.poisson(np.exp(x @ TRUTH))


if __name__ == "__main__":
    prior = np.column_stack([np.eye(FEATURES), np.zeros(FEATURES)])
    result = sdabayes.run(primitive, prior, stream(), schedule="async", workers=2)
    precision, shift = result.posterior[:, :-1], result.posterior[:, -1]
    mean, sd = np.linalg.solve(precision, shift), np.sqrt(np.diag(np.linalg.inv(precision)))
    for name, m, s, t in zip("abc", mean, sd, TRUTH):
        print(f"{name}: {m:.3f} +- {s:.3f} (truth {t})")
    assert (np.abs(mean - TRUTH) < 5 * sd + 0.01).all()
