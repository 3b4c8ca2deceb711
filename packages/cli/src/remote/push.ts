// Overwrites changes that others made since the pull only on request, and never bases a draft on a version that this folder has not seen.
import {
  computeDigest,
  type FolderEntry,
  type ManagedConfig,
  type ManagedDraft,
  parseConfigSource,
} from '@signalbox/wire'
import type { ControlPlane } from './control-plane.ts'
import { ConfigFolder, type LocalConfig, promptName, seal } from './folder.ts'
import {
  createConfig,
  findConfig,
  findDraft,
  findVersion,
  lintText,
  versionText,
  writeDraft,
} from './remote-configs.ts'
import { type Row, refusedRow } from './report.ts'

export interface PushOptions {
  readonly overwrite: boolean
  /** Folder with the files before the change, for CI, which has no state. */
  readonly was?: string
}

export type Pushed =
  | {
      readonly ok: true
      readonly draft: { readonly id: string; readonly revision: number }
      readonly isNew: boolean
    }
  | { readonly ok: false; readonly row: Row }

/** Null: the text is no config, or cannot be published. Only the server can resolve a text that extends a base. */
async function findTextDigest(
  plane: ControlPlane,
  prompt: LocalConfig,
  text: string,
): Promise<string | null> {
  const parsed = parseConfigSource(text)
  if (!parsed.ok) return null
  if (parsed.document.extends === undefined) return computeDigest(parsed.value)
  return (await lintText(plane, prompt, text)).digest
}

/** Version on which the file is based, as far as this folder records it; undefined: not recorded. */
async function knownBase(
  plane: ControlPlane,
  local: LocalConfig,
  { known, was }: { readonly known: FolderEntry | undefined; readonly was: string | undefined },
): Promise<number | null | undefined> {
  if (was !== undefined) {
    const before = new ConfigFolder(was).read(local)
    const digest = before === null ? null : await findTextDigest(plane, local, before)
    // For two CI runs of one change: the second one finds the version that the first one published.
    const number = digest === null ? null : await findVersion(plane, local, digest)
    if (number !== null) return number
  }
  return known?.version
}

/** True: this folder has pulled or pushed everything in the draft, or it equals its base version. */
async function isSeen(
  plane: ControlPlane,
  local: LocalConfig,
  { draft, known }: { readonly draft: ManagedDraft; readonly known: FolderEntry | undefined },
): Promise<boolean> {
  if (known?.draft?.id === draft.id && known.draft.revision === draft.revision) return true
  if (seal(draft.text) === known?.text) return true
  if (draft.base_version === null) return false
  const base = await versionText(plane, local, draft.base_version)
  if ((base.source ?? base.text) === draft.text) return true
  return base.digest === (await findTextDigest(plane, local, draft.text))
}

/** Changes `state` in memory; the caller writes it to the folder. */
export async function pushOne(
  plane: ControlPlane,
  local: LocalConfig,
  more: { readonly state: Map<string, FolderEntry>; readonly options: PushOptions },
): Promise<Pushed> {
  const { state, options } = more
  const name = promptName(local)
  const known = state.get(name)
  const keep = (
    draft: { id: string; revision: number },
    version: number | null,
    isNew: boolean,
  ): Pushed => {
    const { id, revision } = draft
    state.set(name, { version, text: seal(local.text), draft: { id, revision } })
    return { ok: true, draft: { id, revision }, isNew }
  }
  const config = await findConfig(plane, local)
  if (config === null) {
    await createConfig(plane, local, local.text)
    const draft = await findDraft(plane, local)
    if (draft !== null) return keep(draft, null, true)
    return refusal(local, 'the draft was discarded in the meantime; push again')
  }
  const draft = await findDraft(plane, local)
  const base = await findPushBase(plane, local, { config, draft, known, options })
  if (base === undefined) return refusal(local, unknownBase(config))
  if (draft !== null && draft.text === local.text && draft.base_version === base) {
    return keep(draft, base, false)
  }
  const isLost = draft !== null && draft.text !== local.text && !options.overwrite
  if (isLost && !(await isSeen(plane, local, { draft, known }))) {
    const who = draft.updated_by ?? 'Another user'
    return refusal(
      local,
      `${who} has a draft (revision ${draft.revision}) that is unpublished and not in this folder. Get it with pull --draft, or replace it with push --overwrite`,
    )
  }
  const saved = await writeDraft(plane, local, { text: local.text, base, seen: draft })
  if (!saved.ok) return { ok: false, row: refusedRow(local, saved.refused) }
  return keep(saved.value, base, true)
}

async function findPushBase(
  plane: ControlPlane,
  local: LocalConfig,
  found: {
    readonly config: ManagedConfig
    readonly draft: ManagedDraft | null
    readonly known: FolderEntry | undefined
    readonly options: PushOptions
  },
): Promise<number | null | undefined> {
  const { config, draft, known, options } = found
  const newest = config.newest_version
  if (newest === null || options.overwrite) return newest
  const digest = await findTextDigest(plane, local, local.text)
  // A published text is its own base.
  const published = digest === null ? null : await findVersion(plane, local, digest)
  const base = await knownBase(plane, local, { known, was: options.was })
  if (base !== undefined && base !== null) return base
  if (published !== null) return published
  return draft?.text === local.text ? draft.base_version : base
}

function unknownBase({ newest_version: newest }: ManagedConfig): string {
  return `the server has v${newest}, but this folder does not record the file's base version. Pull first, or use --was <folder before the change> or --overwrite`
}

function refusal({ ns, key }: LocalConfig, detail: string): Pushed {
  return { ok: false, row: { ns, key, result: 'refused', detail, isFinding: true } }
}

export async function push(
  plane: ControlPlane,
  folder: ConfigFolder,
  { names, ...options }: PushOptions & { readonly names: readonly string[] },
): Promise<readonly Row[]> {
  const state = folder.readState()
  const rows: Row[] = []
  for (const local of folder.configs(names)) {
    const pushed = await pushOne(plane, local, { state, options })
    const { ns, key } = local
    if (!pushed.ok) rows.push(pushed.row)
    else {
      const { revision } = pushed.draft
      const detail = pushed.isNew
        ? `draft ${revision} saved`
        : `draft ${revision} already has this text`
      rows.push({ ns, key, result: pushed.isNew ? 'pushed' : 'unchanged', detail, revision })
    }
  }
  folder.writeState(state)
  return rows
}
