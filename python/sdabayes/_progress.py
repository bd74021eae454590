"""The bar of a long call."""

from contextlib import contextmanager


@contextmanager
def shown_progress(verbose, rows):
    """A function to call with documents and minibatches so far; None if no bar is asked for."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("verbose shows a bar of tqdm, which is not installed") from None
    with tqdm(total=rows, unit="document") as bar:

        def show(documents, minibatches):
            bar.update(documents - bar.n)
            bar.set_postfix(minibatches=minibatches, refresh=False)

        yield show
