// Prints the results of all benchmarks as one table with fixed columns, so that runs can be compared line by line.
import { spawnSync } from 'node:child_process'
import os from 'node:os'

const WIDTHS = [54, 10, 10, 22]

export function heading() {
  const cpus = os.cpus()
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout
  const machine = `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}`
  print(
    `Node ${process.versions.node}, ${os.platform()} ${os.arch()}, ${machine}, load ${os.loadavg()[0]?.toFixed(2)}, commit ${commit.trim() || 'unknown'}`,
  )
  print(line(['what', 'p50', 'p99', 'figure', 'bar']))
}

export function section(title) {
  print(`\n${title}`)
}

export function note(text) {
  print(`  ${text}`)
}

/**
 * Prints one row. `times` in µs, ascending; `figure`: any other result; `bars`: limits, each with whether it is met.
 * @param {string} name
 * @param {{ times?: readonly number[], unit?: 'µs' | 'ms', figure?: string, bars?: readonly { text: string, met: boolean }[] }} [measured]
 */
export function row(name, { times, unit = 'µs', figure = '', bars = [] } = {}) {
  const [p50, p99] =
    times === undefined
      ? ['', '']
      : [0.5, 0.99].map((share) => `${rounded(percentile(times, share))} ${unit}`)
  const missed = bars.some(({ met }) => !met)
  const bar = bars.map(({ text }) => text).join(', ')
  print(
    line([
      `  ${name}`,
      p50,
      p99,
      figure,
      bars.length > 0 ? `${bar}: ${missed ? 'MISSED' : 'met'}` : '',
    ]),
  )
}

/** `sorted` ascending; `share` from 0 to 1. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export function perSecond(count, seconds, what) {
  return `${Math.round(count / seconds).toLocaleString('en')} ${what}/s`
}

function rounded(value) {
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0)
}

function line(cells) {
  return cells
    .map((cell, i) => (i < WIDTHS.length ? cell.padEnd(WIDTHS[i] ?? 0) : cell))
    .join(' ')
    .trimEnd()
}

function print(text) {
  process.stdout.write(`${text}\n`)
}
