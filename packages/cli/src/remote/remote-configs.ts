import {
  ConfigPage,
  DiffAnswer,
  LintAnswer,
  ManagedConfig,
  ManagedDraft,
  promptPath,
  SavedDraft,
  VersionPage,
  VersionText,
} from '@signalbox/wire'
import type { Answered, ControlPlane } from './control-plane.ts'
import type { Prompt } from './folder.ts'

export function configPath({ ns, key }: Prompt): string {
  return `/configs/${promptPath(ns, key)}`
}

export async function allConfigs(plane: ControlPlane): Promise<readonly ManagedConfig[]> {
  const configs: ManagedConfig[] = []
  for (let after = ''; ; ) {
    const page = await plane.need({ path: `/configs?limit=200${after}`, schema: ConfigPage })
    configs.push(...page.configs)
    if (page.next === null) return configs
    after = `&after=${encodeURIComponent(page.next)}`
  }
}

/** null: the server has no such config. */
export async function findConfig(
  plane: ControlPlane,
  prompt: Prompt,
): Promise<ManagedConfig | null> {
  const answered = await plane.ask({ path: configPath(prompt), schema: ManagedConfig })
  return answered.ok ? answered.value : null
}

export async function versionText(
  plane: ControlPlane,
  prompt: Prompt,
  number: number,
): Promise<VersionText> {
  return await plane.need({ path: `${configPath(prompt)}/versions/${number}`, schema: VersionText })
}

/** Newest version with this digest among the newest 200; null: none. */
export async function findVersion(
  plane: ControlPlane,
  prompt: Prompt,
  digest: string,
): Promise<number | null> {
  const path = `${configPath(prompt)}/versions?limit=200`
  const { versions } = await plane.need({ path, schema: VersionPage })
  return versions.find((version) => version.digest === digest)?.number ?? null
}

/** null: there is no open draft. */
export async function findDraft(plane: ControlPlane, prompt: Prompt): Promise<ManagedDraft | null> {
  const answered = await plane.ask({ path: `${configPath(prompt)}/draft`, schema: ManagedDraft })
  return answered.ok ? answered.value : null
}

export async function writeDraft(
  plane: ControlPlane,
  prompt: Prompt,
  save: { readonly text: string; readonly base: number | null; readonly seen: ManagedDraft | null },
): Promise<Answered<SavedDraft>> {
  const { text, base, seen } = save
  const headers =
    seen === null ? { 'if-none-match': '*' } : { 'if-match': `"${seen.id}.${seen.revision}"` }
  const body = { text, base_version: base }
  const path = `${configPath(prompt)}/draft`
  return await plane.ask({ method: 'PUT', path, body, headers, schema: SavedDraft })
}

export async function createConfig(
  plane: ControlPlane,
  prompt: Prompt,
  text: string,
): Promise<ManagedConfig> {
  const body = { ns: prompt.ns, key: prompt.key, text }
  return await plane.need({ method: 'POST', path: '/configs', body, schema: ManagedConfig })
}

export async function diffText(
  plane: ControlPlane,
  prompt: Prompt,
  sides: { readonly environment: string; readonly text: string },
): Promise<DiffAnswer> {
  const body = { from: { environment: sides.environment }, to: { text: sides.text } }
  const path = `${configPath(prompt)}/diff`
  return await plane.need({ method: 'POST', path, body, schema: DiffAnswer })
}

export async function lintText(
  plane: ControlPlane,
  { ns, key }: Prompt,
  text: string,
): Promise<LintAnswer> {
  const body = { text, ns, key }
  return await plane.need({ method: 'POST', path: '/lint', body, schema: LintAnswer })
}
