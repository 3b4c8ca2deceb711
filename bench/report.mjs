// How every benchmark prints: a title, then rows of a name and its figures.

export function section(title) {
  process.stdout.write(`\n${title}\n`)
}

export function row(name, ...figures) {
  process.stdout.write(`  ${name.padEnd(28)} ${figures.join('   ')}\n`)
}

/** `sorted` ascending; `share` from 0 to 1. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
