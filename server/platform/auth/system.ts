// Signalbox itself as an author: what it does by rule, such as a roll back, is recorded under its own name.

import type { AuthorizedProjectId } from '../ids.ts'
import { SYSTEM_ID } from '../ids.ts'
import { mintProjectScope, type ProjectScope } from './scope.ts'

/** Only for jobs, which act on what users set up before. */
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
 * For jobs, set-up and the gates themselves: the id comes from a job's payload or a stored row, never from a request. Requests bring a
 * scope; the fence keeps routers and handlers from importing this file.
 */
export function systemProject(projectId: string): AuthorizedProjectId {
  return projectId as AuthorizedProjectId
}
