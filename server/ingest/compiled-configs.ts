// Digest and custom types identify the compiled config, so an entry never goes stale. Only "not known" is looked up again.

import { type CompiledConfig, compileConfig, type SessionEvent } from '@signalbox/core'
import { compileChecked } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { findVersionText } from './config-texts.sql.ts'
import { expressions } from './recorded-conditions.ts'

const MOST = 500
const ASK_AGAIN_MS = 5_000

const compiled = registerCache(new Map<string, CompiledConfig>())
const unknownUntil = registerCache(new Map<string, number>())

/** Folds what every session holds (usage, plan, stops) when the session's own config is not known; it decides nothing. */
export const NO_CONFIG: CompiledConfig = (() => {
  const result = compileConfig({ schema_version: 1, ns: 'none', key: 'none' })
  if (!result.ok) throw new Error('The empty config does not compile.')
  return result.config
})()

/** Custom types of the session that `first` opens: they decide the optional rules that its runtime enforced. */
export function readCustomTypes(first: SessionEvent | null): readonly string[] {
  return first?.type === 'session.started' ? (first.data.custom_types ?? []) : []
}

function compileText(text: string, customTypes: readonly string[]): CompiledConfig | null {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return null
  const result = compileChecked(parsed.document, { expressions, customTypes })
  return result.ok ? result.config : null
}

/** Null when the project has no such version, or this build cannot evaluate it. */
export async function findCompiledConfig(
  projectId: AuthorizedProjectId,
  digest: string,
  customTypes: readonly string[],
): Promise<CompiledConfig | null> {
  const key = JSON.stringify([projectId, digest, ...customTypes])
  const known = compiled.get(key)
  if (known !== undefined) return known
  const now = Date.now()
  if ((unknownUntil.get(key) ?? 0) > now) return null
  const text = await findVersionText(projectId, digest)
  const config = text === null ? null : compileText(text, customTypes)
  const map = config === null ? unknownUntil : compiled
  if (map.size >= MOST) map.clear()
  if (config === null) unknownUntil.set(key, now + ASK_AGAIN_MS)
  else compiled.set(key, config)
  return config
}
