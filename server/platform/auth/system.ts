import type { AuthorizedProjectId } from '../ids.ts'
import { SYSTEM_ID } from '../ids.ts'
import { mintProjectScope, type ProjectScope } from './scope.ts'

/** Actor of the audit entries about what Signalbox itself did. */
export const SYSTEM_ACTOR = { actorId: SYSTEM_ID, actor: 'Signalbox' } as const

/** Only for jobs, which act on what users configured. */
export function systemScope(projectId: string): ProjectScope {
  return mintProjectScope({
    projectId,
    userId: SYSTEM_ID,
    userName: SYSTEM_ACTOR.actor,
    role: 'publisher',
    publishIn: null,
    origin: null,
  })
}

/** For jobs, setup and the gates: the id comes from a payload or a stored row, never from a request. The fence keeps routers from it. */
export function systemProject(projectId: string): AuthorizedProjectId {
  return projectId as AuthorizedProjectId
}
