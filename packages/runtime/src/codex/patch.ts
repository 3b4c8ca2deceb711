// What a patch in Codex's own format does to files. Read at least as leniently as Codex reads it: a line that Codex could take for
// a file's header is taken for one, so that no changed file is missed.
import path from 'node:path'

export type PatchChange =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  /** `patch`: the hunks as written. `movedTo`: null when the file keeps its place. */
  | {
      readonly kind: 'update'
      readonly path: string
      readonly patch: string
      readonly movedTo: string | null
    }
  | { readonly kind: 'delete'; readonly path: string }

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/
const MARKER = /^\*\*\* /
const FOLDER = /^\s*cd\s+(?:"([^"]+)"|'([^']+)'|(\S+))\s*&&/

interface OpenChange {
  readonly kind: string
  readonly path: string
  movedTo: string | null
  readonly body: string[]
}

/** In the order of the patch; empty when the text holds none. */
export function changesIn(text: string): readonly PatchChange[] {
  const changes: PatchChange[] = []
  let open: OpenChange | null = null
  const close = () => {
    if (open !== null) changes.push(changeOf(open.kind, open))
    open = null
  }
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim()
    const [, kind, file] = HEADER.exec(trimmed) ?? []
    const [, target] = MOVE.exec(trimmed) ?? []
    if (kind !== undefined && file !== undefined) {
      close()
      open = { kind, path: file.trim(), movedTo: null, body: [] }
    } else if (open !== null && target !== undefined) open.movedTo = target.trim()
    else if (trimmed === END) close()
    else if (open !== null && !MARKER.test(trimmed)) open.body.push(line)
  }
  close()
  return changes
}

/**
 * The same for a shell command that pipes a patch to apply_patch; empty when it does not. After `cd folder &&` paths are
 * relative to that folder.
 */
export function changesInCommand(command: string): readonly PatchChange[] {
  if (!command.includes(BEGIN)) return []
  const changes = changesIn(command)
  const [, double, single, bare] = FOLDER.exec(command) ?? []
  const folder = double ?? single ?? bare
  return folder === undefined ? changes : changes.map((change) => inFolder(change, folder))
}

function changeOf(kind: string, { path: file, movedTo, body }: OpenChange): PatchChange {
  if (kind === 'Delete') return { kind: 'delete', path: file }
  if (kind === 'Update') return { kind: 'update', path: file, patch: body.join('\n'), movedTo }
  const added = body.filter((line) => line.startsWith('+')).map((line) => `${line.slice(1)}\n`)
  return { kind: 'add', path: file, content: added.join('') }
}

function inFolder(change: PatchChange, folder: string): PatchChange {
  const under = (file: string) => (path.isAbsolute(file) ? file : path.join(folder, file))
  const moved = { ...change, path: under(change.path) }
  return moved.kind === 'update' && moved.movedTo !== null
    ? { ...moved, movedTo: under(moved.movedTo) }
    : moved
}
