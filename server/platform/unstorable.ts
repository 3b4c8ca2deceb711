// Texts that PostgreSQL cannot store unchanged: JSON allows a NUL and half a surrogate pair, `text` and `jsonb` do not.
import { ServiceError } from './base/errors.ts'

/** Throws `invalid` when a text in the input contains one. */
export function requireStorable(input: unknown): void {
  if (holdsUnstorable(input)) throw new ServiceError('invalid', UNSTORABLE)
}

/** True when a text in the input contains one. Without recursion, because the sender controls the depth. */
export function holdsUnstorable(input: unknown): boolean {
  const open: unknown[] = [input]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && /\0|\p{Cs}/u.test(value)) return true
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) open.push(inner)
    }
  }
  return false
}

const UNSTORABLE =
  'A text holds a character that cannot be stored (NUL or half a surrogate pair). Remove it.'
