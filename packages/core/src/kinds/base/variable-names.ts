import type { ExpressionPlace } from './expression-names.ts'

/** Apart from the words about them, which the enforcement of a condition does without. */
export const VARIABLE_NAMES = {
  call: ['tool', 'args', 'calls', 'session'],
  stop: ['calls', 'session', 'stop'],
} as const satisfies { readonly [Place in ExpressionPlace]: readonly string[] }
