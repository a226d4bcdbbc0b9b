"""Learns holdfast/Pinch-v0 by PPO on two cores in minutes, with NumPy alone.

    python examples/ppo_pinch.py --seed 0 --out curve.csv

Writes the learning curve (samples, mean return, success rate of the last episodes) and prints it. Success: the block is 5 cm
above where it lay when the episode ends.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np

import holdfast.envs  # noqa: F401  registers the environments


class Network:
    """Two hidden layers of tanh; gradients by hand."""

    def __init__(self, sizes: list[int], rng: np.random.Generator, last: float):
        scale = [np.sqrt(1 / n) for n in sizes[:-2]] + [last / np.sqrt(sizes[-2])]
        self.w = [rng.normal(size=(a, b)) * s for a, b, s in zip(sizes[:-1], sizes[1:], scale)]
        self.b = [np.zeros(b) for b in sizes[1:]]

    def forward(self, x: np.ndarray) -> np.ndarray:
        self.layers = [x]
        for i, (w, b) in enumerate(zip(self.w, self.b)):
            x = x @ w + b
            if i + 1 < len(self.w):
                x = np.tanh(x)
            self.layers.append(x)
        return x

    def backward(self, grad: np.ndarray) -> list[np.ndarray]:
        """Gradients of the weights and biases for d loss/d output, after :meth:`forward`."""
        out: list[np.ndarray] = []
        for i in reversed(range(len(self.w))):
            if i + 1 < len(self.w):
                grad = grad * (1 - self.layers[i + 1] ** 2)
            out = [self.layers[i].T @ grad, grad.sum(0)] + out
            grad = grad @ self.w[i].T
        return out

    @property
    def parameters(self) -> list[np.ndarray]:
        return [p for pair in zip(self.w, self.b) for p in pair]


class Adam:
    def __init__(self, parameters: list[np.ndarray], rate: float):
        self.parameters, self.rate, self.t = parameters, rate, 0
        self.m = [np.zeros_like(p) for p in parameters]
        self.v = [np.zeros_like(p) for p in parameters]

    def step(self, gradients: list[np.ndarray]) -> None:
        norm = np.sqrt(sum((g * g).sum() for g in gradients))
        self.t += 1
        for p, g, m, v in zip(self.parameters, gradients, self.m, self.v):
            g = g * min(1.0, 0.5 / (norm + 1e-9))
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            p -= self.rate * (m / (1 - 0.9**self.t)) / (np.sqrt(v / (1 - 0.999**self.t)) + 1e-8)


class Scaler:
    """Running mean and deviation of observations."""

    def __init__(self, n: int):
        self.mean, self.var, self.count = np.zeros(n), np.ones(n), 1e-4

    def update(self, x: np.ndarray) -> None:
        n, mean, var = len(x), x.mean(0), x.var(0)
        total, delta = self.count + n, mean - self.mean
        self.var = (self.var * self.count + var * n + delta**2 * self.count * n / total) / total
        self.mean += delta * n / total
        self.count = total

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -8, 8)


def learn(seed: int = 0, worlds: int = 64, iterations: int = 70, steps: int = 51, task: str = "holdfast/Pinch-v0", threads: int = 2,
          goal: float = 0.97, quiet: bool = False) -> list[dict]:
    rng = np.random.default_rng(seed)
    envs = gymnasium.make_vec(task, num_envs=worlds, threads=threads)
    n, k = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    actor, critic = Network([n, 64, 64, k], rng, 0.1), Network([n, 64, 64, 1], rng, 1.0)
    log_std = np.full(k, -0.5)
    optimiser = Adam([*actor.parameters, log_std, *critic.parameters], 7e-4)
    scaler = Scaler(n)
    obs, _ = envs.reset(seed=1000 * seed)
    ended = np.zeros(worlds, bool)
    total, returns, successes, running = 0, [], [], np.zeros(worlds)
    curve = []
    begin = time.perf_counter()
    for iteration in range(iterations):
        store = {name: [] for name in ("obs", "action", "logp", "value", "reward", "end", "valid")}
        for _ in range(steps):
            scaler.update(obs.astype(float))
            x = scaler(obs)
            mean, std = actor.forward(x), np.exp(log_std)
            action = mean + std * rng.normal(size=mean.shape)
            logp = (-0.5 * ((action - mean) / std) ** 2 - log_std).sum(1)
            value = critic.forward(x)[:, 0]
            obs, reward, terminated, truncated, info = envs.step(np.clip(action, -1, 1).astype(np.float32))
            for name, item in (("obs", x), ("action", action), ("logp", logp), ("value", value), ("reward", 0.2 * reward),
                               ("end", terminated | truncated), ("valid", ~ended)):
                store[name].append(item)
            running = np.where(ended, 0, running + reward)
            ended = terminated | truncated
            returns += list(running[ended])
            successes += list(info["success"][ended])
            total += worlds
        data = {name: np.array(items) for name, items in store.items()}
        last = critic.forward(scaler(obs))[:, 0]
        advantage, carry = np.zeros_like(data["reward"]), np.zeros(worlds)
        for t in reversed(range(steps)):
            after = last if t + 1 == steps else data["value"][t + 1]
            # the end of the time is no end of the task: its value counts on; the step after it carries nothing
            delta = data["reward"][t] + 0.98 * after - data["value"][t]
            carry = np.where(data["end"][t], data["reward"][t] + 0.98 * data["value"][t] - data["value"][t], delta + 0.98 * 0.95 * carry)
            advantage[t] = carry
        target = advantage + data["value"]
        keep = data["valid"].ravel()
        flat = {name: data[name].reshape(-1, *data[name].shape[2:])[keep] for name in ("obs", "action", "logp")}
        adv, target = advantage.ravel()[keep], target.ravel()[keep]
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(8):
            order = rng.permutation(len(adv))
            for part in np.array_split(order, 6):
                update(actor, critic, log_std, optimiser, {name: a[part] for name, a in flat.items()}, adv[part], target[part])
        curve.append({"samples": total, "return": float(np.mean(returns[-worlds:])), "success": float(np.mean(successes[-2 * worlds:])),
                      "seconds": time.perf_counter() - begin})
        if not quiet:
            print("{samples:8d} samples  return {return:7.2f}  success {success:5.2f}  {seconds:6.1f} s".format(**curve[-1]), flush=True)
        if curve[-1]["success"] >= goal and iteration > 5:
            break
    envs.close()
    return curve


def update(actor, critic, log_std, optimiser, batch, advantage, target) -> None:
    """One gradient step on the clipped objective."""
    n = len(advantage)
    mean, std = actor.forward(batch["obs"]), np.exp(log_std)
    z = (batch["action"] - mean) / std
    ratio = np.exp((-0.5 * z**2 - log_std).sum(1) - batch["logp"])
    active = np.where(advantage > 0, ratio < 1.2, ratio > 0.8)
    weight = -(active * ratio * advantage / n)[:, None]  # d loss/d log p
    gradients = actor.backward(weight * z / std)
    grad_std = (weight * (z**2 - 1)).sum(0) - 0.01  # and a little for entropy
    error = critic.forward(batch["obs"])[:, 0] - target
    gradients_critic = critic.backward((error / n)[:, None])
    optimiser.step([*gradients, grad_std, *gradients_critic])
    np.clip(log_std, -1.2, 0.0, out=log_std)  # goes on exploring


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--iterations", type=int, default=70)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", help="CSV file for the learning curve")
    args = parser.parse_args()
    curve = learn(args.seed, args.worlds, args.iterations, threads=args.threads)
    if args.out:
        with open(args.out, "w") as file:
            file.write("samples,return,success,seconds\n")
            file.writelines("{samples},{return:.4f},{success:.4f},{seconds:.2f}\n".format(**row) for row in curve)
    print(f"final success rate {curve[-1]['success']:.2f} after {curve[-1]['samples']} samples")


if __name__ == "__main__":
    main()
