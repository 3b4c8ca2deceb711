// Signalbox itself as an author: what it does by rule, such as a roll back, is recorded under its own name.
import { mintProjectScope, type ProjectScope } from './scope.ts'

/** As authors are stored; no user has it. */
export const SYSTEM_ID = 'signalbox'

/** Only for jobs, which act on what people set up beforehand. */
export function systemScope(projectId: string): ProjectScope {
  return mintProjectScope({
    projectId,
    userId: SYSTEM_ID,
    userName: 'Signalbox',
    role: 'publisher',
    publishIn: null,
    origin: null,
  })
}
