"""A likelihood written in JAX, streamed: Poisson regression by a Gaussian variational primitive.

Only log_likelihood knows the model; JAX differentiates it. Natural parameters of a Gaussian: its
precision, and precision times mean, which add up over minibatches. variational.py is the same with
NumPy alone, its gradient written out; torch.func.grad and hessian take the place of JAX's.
"""

import jax
import jax.numpy as jnp
import numpy as np

import sdabayes

jax.config.update("jax_enable_x64", True)
TRUTH = np.array([0.5, -0.3, 0.8])


def log_likelihood(w, x, y):
    return jnp.sum(y * (x @ w) - jnp.exp(x @ w))


@jax.jit
def primitive(data, prior, steps=30, draws=8):
    """Natural-gradient variational inference: a Gaussian's natural gradient needs only expected
    gradients and Hessians of the log likelihood."""
    noise = jax.random.normal(jax.random.key(data[1].sum()), (steps, draws, prior.shape[0]))

    def step(natural, i_and_noise):
        i, z = i_and_noise
        precision, shift = natural[:, :-1], natural[:, -1]
        mean = jnp.linalg.solve(precision, shift)
        w = mean + z @ jnp.linalg.cholesky(jnp.linalg.inv(precision)).T
        gradient = jax.vmap(jax.grad(log_likelihood), (0, None, None))(w, *data).mean(axis=0)
        curvature = -jax.vmap(jax.hessian(log_likelihood), (0, None, None))(w, *data).mean(axis=0)
        target = prior + jnp.column_stack([curvature, curvature @ mean + gradient])
        return natural + (target - natural) / (1 + i / 3), None

    return jax.lax.scan(step, prior, (jnp.arange(steps), noise))[0]


def stream(minibatches=200, rows=100):
    random = np.random.default_rng(1)
    for _ in range(minibatches):
        x = random.normal(0, 0.7, (rows, len(TRUTH)))
        yield x, random.poisson(np.exp(x @ TRUTH))


if __name__ == "__main__":
    prior = np.column_stack([np.eye(len(TRUTH)), np.zeros(len(TRUTH))])
    result = sdabayes.run(primitive, prior, stream(), schedule="async", workers=2)
    precision, shift = result.posterior[:, :-1], result.posterior[:, -1]
    mean, sd = np.linalg.solve(precision, shift), np.sqrt(np.diag(np.linalg.inv(precision)))
    for name, m, s, t in zip("abc", mean, sd, TRUTH):
        print(f"{name}: {m:.3f} +- {s:.3f} (truth {t})")
    assert (np.abs(mean - TRUTH) < 5 * sd + 0.01).all()
