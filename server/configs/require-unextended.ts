import type { InProject } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import { findMandatoryBase, listExtenders } from './bases.sql.ts'
import type { PromptName } from './configs.sql.ts'

/** Rejects with `conflict` while configs extend it, so that no release rests on an archived base. Only for the holder of its lock. */
export async function requireUnextended(
  tx: Tx,
  scope: InProject,
  config: PromptName & { readonly id: string },
): Promise<void> {
  const name = `${config.ns}/${config.key}`
  if ((await findMandatoryBase(scope, tx))?.configId === config.id) {
    const message = `Every config of this project must extend ${name}, so it cannot be archived. Choose another mandatory base first.`
    throw new ServiceError('conflict', message)
  }
  const extenders = await listExtenders(scope, config.id, tx)
  const names = [...new Set(extenders.map(({ ns, key }) => `${ns}/${key}`))]
  if (names.length === 0) return
  const others = names.length > 3 ? ` and ${names.length - 3} more` : ''
  const message = `${names.slice(0, 3).join(', ')}${others} extend ${name}, so it cannot be archived. Archive them, or publish them without it first.`
  throw new ServiceError('conflict', message)
}
