// At least as lenient as any harness: a line that any of them could read as a file's header counts as one, so that no changed file is missed.
import path from 'node:path'
import type { JsonObject } from '@signalbox/core'

export type PatchChange =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  /** `patch`: the hunks as written. `movedTo`: null: the file is not moved. */
  | {
      readonly kind: 'update'
      readonly path: string
      readonly patch: string
      readonly movedTo: string | null
    }
  | { readonly kind: 'delete'; readonly path: string }

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
// A name may contain anything but a line feed.
const HEADER = /^\*\*\* (Add|Update|Delete) File:(.+)$/s
const MOVE = /^\*\*\* Move to:(.+)$/s
const MARKER = /^\*\*\* /
const FOLDER = /^\s*cd\s+(?:"([^"]+)"|'([^']+)'|(\S+))\s*&&/

export interface FilePart {
  readonly name: 'write_file' | 'edit_file' | 'delete_file'
  readonly args: JsonObject
}

interface OpenChange {
  readonly kind: string
  readonly path: string
  movedTo: string | null
  readonly body: string[]
}

/** Changes in the order of the patch; empty: the text contains none. */
export function changesIn(text: string): readonly PatchChange[] {
  const changes: PatchChange[] = []
  let open: OpenChange | null = null
  const close = () => {
    if (open !== null) changes.push(toPatchChange(open.kind, open))
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

/** Changes by a shell command that pipes a patch to apply_patch; empty: none. After `cd folder &&` paths are relative to that folder. */
export function changesInCommand(command: string): readonly PatchChange[] {
  if (!command.includes(BEGIN)) return []
  const changes = changesIn(command)
  const [, double, single, bare] = FOLDER.exec(command) ?? []
  const folder = double ?? single ?? bare
  return folder === undefined ? changes : changes.map((change) => inFolder(change, folder))
}

/** A moved file is edited, removed from its old path, and overwrites the file at the new one. */
export function listChangeParts(change: PatchChange): readonly FilePart[] {
  switch (change.kind) {
    case 'add':
      return [{ name: 'write_file', args: { file_path: change.path, content: change.content } }]
    case 'delete':
      return [{ name: 'delete_file', args: { file_path: change.path } }]
    case 'update': {
      const { path: file, patch, movedTo } = change
      const edit: FilePart = { name: 'edit_file', args: { file_path: file, patch } }
      if (movedTo === null) return [edit]
      return [
        edit,
        { name: 'delete_file', args: { file_path: file, moved_to: movedTo } },
        { name: 'write_file', args: { file_path: movedTo, moved_from: file } },
      ]
    }
    default:
      return change satisfies never
  }
}

/** For a patch that cannot be parsed, and so changes an unknown file. File rules deny a call with a truncated path, not one without a path. */
export function withoutFile(input: JsonObject): JsonObject {
  return { ...input, file_path: { $truncated: { entries: 0 } } }
}

function toPatchChange(kind: string, { path: file, movedTo, body }: OpenChange): PatchChange {
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
