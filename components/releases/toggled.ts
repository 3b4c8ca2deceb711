// Which gates were ticked.
import type { Asking } from '@/server/releases/release-gates.ts'

const ASKING: readonly Asking[] = ['runtimes', 'backtest', 'cases']

/** `id` of another gate changes nothing: only these can be ticked. */
export function toggled(
  acknowledged: readonly Asking[],
  id: string,
  ticked: boolean,
): readonly Asking[] {
  return ASKING.filter((each) => (each === id ? ticked : acknowledged.includes(each)))
}
