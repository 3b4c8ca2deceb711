// Signalbox as an actor: actions that it takes by rule, such as a rollback, are recorded under its own name.

import type { AuthorizedProjectId } from '../ids.ts'
import { SYSTEM_ID } from '../ids.ts'
import { mintProjectScope, type ProjectScope } from './scope.ts'

/** Only for jobs, which act on what users configured. */
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

/**
 * For jobs, setup and the gates: the id comes from a job's payload or a stored row, never from a request. Requests have a scope; the fence
 * keeps routers and handlers from importing this file.
 */
export function systemProject(projectId: string): AuthorizedProjectId {
  return projectId as AuthorizedProjectId
}
