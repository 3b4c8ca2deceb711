// Who asks for a file, and in which project: a link to a file names none, and then it is the one of the person's projects that the
// thing is in.

import { projectOfId } from '@/server/people/projects.ts'
import { PROJECT_HEADER, withAskedProject } from '@/server/platform/auth/asked-project.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { requireProjectScope, requireUser } from '@/server/platform/auth/session.ts'

/** `id`: of what the file is about; null: it is no id. Rejects for whoever is not signed in. */
export async function scopeOfFile(request: Request, id: string | null): Promise<ProjectScope> {
  const headers = withAskedProject(request)
  if (!headers.has(PROJECT_HEADER) && id !== null) {
    const user = await requireUser(headers)
    const slug = await projectOfId(user.id, id)
    if (slug !== null) headers.set(PROJECT_HEADER, slug)
  }
  return await requireProjectScope(headers)
}
