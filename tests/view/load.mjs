// What part of the machine's processors other programs use, so that a rate is judged only where nobody else took the time.
import { readdirSync, readFileSync } from 'node:fs';

const fields = text => text.slice(text.lastIndexOf(')') + 2).split(' ');

// Processor time of this process and all that it started, in ticks.
function ownTicks() {
  const parent = new Map(), ticks = new Map();
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const f = fields(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      parent.set(pid, f[1]);
      ticks.set(pid, Number(f[11]) + Number(f[12]));
    } catch { /* it has ended */ }
  }
  const isOwn = pid => pid === String(process.pid) || (parent.has(pid) && isOwn(parent.get(pid)));
  return [...ticks.keys()].filter(isOwn).reduce((sum, pid) => sum + ticks.get(pid), 0);
}

function machineTicks() {
  const [user, nice, system, idle, wait, irq, soft, steal] = readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).slice(1).map(Number);
  const busy = user + nice + system + irq + soft + steal;
  return { busy, all: busy + idle + wait };
}

// Starts to measure; the function that it returns gives the part that others used since, 0 to 1.
export function measureOthers() {
  const own = ownTicks(), machine = machineTicks();
  return () => {
    const { busy, all } = machineTicks();
    return Math.max(0, busy - machine.busy - (ownTicks() - own)) / Math.max(1, all - machine.all);
  };
}
