import { fnv1a } from '../model/fnv.ts'

const LONGEST = 64

/** Id of a proposed rule, from what it is about. A text that an id cannot contain is shortened to its hash. */
export function nameRule(...parts: readonly (string | null)[]): string {
  const given = parts.filter((part) => part !== null).join('-')
  const name = given.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-')
  const clean = name.replace(/^[^a-z0-9]+/, '')
  if (clean === given && clean.length <= LONGEST) return clean
  return `${clean.slice(0, LONGEST - 9)}-${fnv1a(given).toString(16)}`
}
