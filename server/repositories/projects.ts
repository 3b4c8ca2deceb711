// The installation's project and its environments, as the first start makes them.
import 'server-only'
import { freshId } from '../ids.ts'
import type { Tx } from './transaction.ts'

const DEFAULT_SLUG = 'default'

/** In order of promotion; only production asks for a note and the typed name. */
const ENVIRONMENTS = [
  { name: 'dev', requiresNote: false, requiresTypedName: false },
  { name: 'staging', requiresNote: false, requiresTypedName: false },
  { name: 'production', requiresNote: true, requiresTypedName: true },
] as const

/** Throws when the installation was not bootstrapped; the server does that before it serves. */
export async function defaultProjectId(tx: Tx): Promise<string> {
  const project = await tx.project.findUniqueOrThrow({ where: { slug: DEFAULT_SLUG } })
  return project.id
}

/** Makes the default project, and environments where it has none. Idempotent. Returns the project's id. */
export async function ensureDefaultProject(tx: Tx): Promise<string> {
  const project = await tx.project.upsert({
    where: { slug: DEFAULT_SLUG },
    create: { id: freshId('prj'), slug: DEFAULT_SLUG, name: 'Default' },
    update: {},
  })
  // Only the first start makes them: an environment that somebody removed must stay away.
  if ((await tx.environment.count({ where: { projectId: project.id } })) === 0) {
    await tx.environment.createMany({
      data: ENVIRONMENTS.map((environment, position) => ({
        ...environment,
        position,
        id: freshId('env'),
        projectId: project.id,
      })),
      skipDuplicates: true,
    })
  }
  return project.id
}
