"""Random mixed nets and their exact posteriors by enumeration, for the tests."""

import itertools

import numpy as np

from labelfield.restore import MixedNet


def random_net(rng, mc=4, sizes=(3, 3, 3, 3), strength=0.7):
    """A dense net with couplings of a given strength and a valid precision."""
    K = sum(sizes)
    node = np.repeat(np.arange(len(sizes)), sizes)
    off = rng.normal(size=(mc, mc)) * 0.3 * strength
    off = np.triu(off, 1) + np.triu(off, 1).T
    pair = rng.normal(size=(K, K)) * 0.6 * strength
    pair = np.where(node[:, None] == node, 0.0, pair + pair.T) / 2
    return MixedNet(
        precision=off + np.diag(1 + np.abs(off).sum(axis=1)),
        linear=rng.normal(size=mc) * 0.3,
        mixed=rng.normal(size=(mc, K)) * 0.6 * strength,
        unary=rng.normal(size=K) * 0.3,
        pair=pair,
        sizes=tuple(sizes),
    )


def sparse_net(
    rng, mc=15, md=10, density=0.2, coupling=2.0, margin=0.2, loading=3.0, agreement=3.0
):
    """A strongly coupled net with edges of random sign on a share of all pairs."""
    K, states = 3 * md, np.arange(3)
    precision, mixed, pair = np.zeros((mc, mc)), np.zeros((mc, K)), np.zeros((K, K))
    for s in range(mc):
        for t in range(s):
            if rng.random() < density:
                precision[s, t] = precision[t, s] = coupling * rng.choice([-1, 1])
        for j in range(md):
            if rng.random() < density:
                mixed[s, 3 * j + states] = loading * rng.permutation([1.0, 0.0, -1.0])
    for j, k in itertools.combinations(range(md), 2):
        if rng.random() < density:
            block = agreement * (np.eye(3) - 1 / 3)[rng.permutation(3)]
            pair[3 * j : 3 * j + 3, 3 * k : 3 * k + 3] = block
            pair[3 * k : 3 * k + 3, 3 * j : 3 * j + 3] = block.T
    precision += np.diag(margin + np.abs(precision).sum(axis=1))
    return MixedNet(precision, np.zeros(mc), mixed, np.zeros(K), pair, (3,) * md)


def all_states(sizes):
    """Indicators (number of states, K) of every joint state."""
    codes = np.array(list(itertools.product(*(range(size) for size in sizes))), dtype=int)
    starts = np.cumsum([0, *sizes])[:-1]
    D = np.zeros((len(codes), sum(sizes)))
    for j, start in enumerate(starts):
        D[np.arange(len(codes)), start + codes[:, j]] = 1
    return D


def exact_posterior(net, noise, numbers, codes):
    """Mean, variance (n, mc) and marginals (n, K), summing over all joint states."""
    D = all_states(net.sizes)
    seen = np.maximum(noise.log_likelihood(codes), -1e6)
    mean, variance = np.zeros(numbers.shape), np.zeros(numbers.shape)
    proba = np.zeros(seen.shape)
    for i, row in enumerate(numbers):
        observed = ~np.isnan(row)
        fixed = observed & (noise.scale == 0)
        free = ~fixed
        added = np.where(observed, 1 / np.where(noise.scale == 0, 1, noise.scale) ** 2, 0.0)[free]
        covariance = np.linalg.inv(net.precision[np.ix_(free, free)] + np.diag(added))
        base = net.linear[free] + added * np.nan_to_num(row[free])
        base = base - net.precision[np.ix_(free, fixed)] @ row[fixed] + D @ net.mixed[free].T
        log_weight = D @ (net.unary + seen[i] + net.mixed[fixed].T @ row[fixed])
        log_weight = log_weight + 0.5 * np.einsum("ak,kl,al->a", D, net.pair, D)
        log_weight = log_weight + 0.5 * np.einsum("as,st,at->a", base, covariance, base)
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        conditional = base @ covariance
        proba[i] = weight @ D
        mean[i, free], mean[i, fixed] = weight @ conditional, row[fixed]
        spread = weight @ (conditional - weight @ conditional) ** 2
        variance[i, free] = np.diag(covariance) + spread
    return mean, variance, proba
