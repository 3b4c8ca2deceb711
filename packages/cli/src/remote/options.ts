import { InvalidArgumentError } from 'commander'

export function parseSeconds(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('Use a number of seconds.')
}

/** Per mille. */
export function parseShare(text: string): number {
  const value = Math.round(Number(text.replace(/%$/, '')) * 10)
  if (value >= 1 && value <= 999) return value
  throw new InvalidArgumentError('Use a share from 0.1 to 99.9 percent.')
}

export function parseVersion(text: string): number {
  const value = Number(text.replace(/^v/, ''))
  if (Number.isInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Use a version number.')
}

export function parseSeq(text: string): number {
  const value = Number(text.replace(/^#/, ''))
  if (Number.isInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Use the sequence number of an event.')
}
