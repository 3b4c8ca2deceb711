// Never overwrites a file that was changed locally, unless --overwrite is given.
import type { FolderEntry, ManagedConfig } from '@signalbox/wire'
import type { ControlPlane } from './control-plane.ts'
import { type ConfigFolder, parsePrompt, promptName, seal } from './folder.ts'
import { allConfigs, findDraft, versionText } from './remote-configs.ts'
import type { Row } from './report.ts'

export interface PullOptions {
  /** Absent: the newest version of each config. */
  readonly env?: string
  readonly draft: boolean
  readonly overwrite: boolean
}

interface Taken {
  readonly text: string
  readonly known: FolderEntry
  readonly label: string
}

async function take(
  plane: ControlPlane,
  config: ManagedConfig,
  { env, draft: wantsDraft }: PullOptions,
): Promise<Taken | null> {
  const draft = wantsDraft ? await findDraft(plane, config) : null
  if (draft !== null) {
    const { id, revision, text, base_version: version } = draft
    const known = { version, text: seal(text), draft: { id, revision } }
    return { text, known, label: `draft ${revision}` }
  }
  const number =
    env === undefined
      ? config.newest_version
      : (config.live.find(({ environment }) => environment === env)?.version ?? null)
  if (number === null) return null
  const published = await versionText(plane, config, number)
  const text = published.source ?? published.text
  const known = { version: number, text: seal(text), draft: null }
  return { text, known, label: `v${number}` }
}

export async function pull(
  plane: ControlPlane,
  folder: ConfigFolder,
  { names, ...options }: PullOptions & { readonly names: readonly string[] },
): Promise<readonly Row[]> {
  const wanted = new Set(names.map((name) => promptName(parsePrompt(name))))
  const configs = (await allConfigs(plane)).filter(
    (config) => wanted.size === 0 || wanted.has(promptName(config)),
  )
  const state = folder.readState()
  const rows: Row[] = []
  for (const config of configs) {
    const taken = await take(plane, config, options)
    if (taken !== null) rows.push(place(folder, state, { config, taken, options }))
  }
  folder.writeState(state)
  const found = new Set(configs.map(promptName))
  const missing = [...wanted].filter((name) => !found.has(name)).map(parsePrompt)
  return [
    ...rows,
    ...missing.map((prompt) => ({
      ...prompt,
      result: 'missing',
      detail: 'the server has no such config',
      isFinding: true,
    })),
  ]
}

function place(
  folder: ConfigFolder,
  state: Map<string, FolderEntry>,
  found: { readonly config: ManagedConfig; readonly taken: Taken; readonly options: PullOptions },
): Row {
  const { config, taken, options } = found
  const { ns, key } = config
  const here = folder.read(config)
  const row = { ns, key, version: taken.known.version }
  const last = state.get(promptName(config))
  const isChangedHere = here !== null && here !== taken.text && seal(here) !== last?.text
  if (isChangedHere && !options.overwrite) {
    const detail = `${folder.resolvePromptFile(config)} was changed here, so ${taken.label} did not replace it (use --overwrite)`
    return { ...row, result: 'conflict', detail, isFinding: true }
  }
  state.set(promptName(config), taken.known)
  if (here === taken.text)
    return { ...row, result: 'unchanged', detail: `already at ${taken.label}` }
  folder.write(config, taken.text)
  return { ...row, result: 'pulled', detail: `${taken.label} written` }
}
