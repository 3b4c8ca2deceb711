import {
  type ConfigChange,
  changesAsText,
  describeOrigin,
  diffConfigs,
  plural,
} from '@signalbox/core/analysis'
import { parseConfigSource } from '@signalbox/wire'
import { Unusable } from '../base/io.ts'
import type { ControlPlane } from './control-plane.ts'
import { type ConfigFolder, type LocalConfig, type Prompt, promptName } from './folder.ts'
import { allConfigs, diffText, lintText } from './remote-configs.ts'
import type { Row } from './report.ts'

export interface Difference extends Row {
  readonly changes: readonly ConfigChange[]
}

/** Without `names`, also reports live configs that have no file. */
export async function diff(
  plane: ControlPlane,
  folder: ConfigFolder,
  { names, env }: { readonly names: readonly string[]; readonly env: string },
): Promise<readonly Difference[]> {
  const configs = new Map((await allConfigs(plane)).map((config) => [promptName(config), config]))
  const files = folder.configs(names)
  const rows: Difference[] = []
  for (const local of files) {
    rows.push(
      configs.has(promptName(local))
        ? await compared(plane, local, env)
        : toNewDifference(local, env),
    )
  }
  if (names.length > 0) return rows
  const here = new Set(files.map(promptName))
  for (const { ns, key, live } of configs.values()) {
    const pointer = live.find(({ environment }) => environment === env)
    if (pointer === undefined || here.has(`${ns}/${key}`)) continue
    const detail = `${env} runs v${pointer.version}, but there is no file`
    rows.push({ ns, key, result: 'no_file', detail, isFinding: true, changes: [] })
  }
  return rows
}

async function compared(plane: ControlPlane, local: LocalConfig, env: string): Promise<Difference> {
  const { same, from, changes } = await diffText(plane, local, {
    environment: env,
    text: local.text,
  })
  return same ? unchanged(local, from.label) : changed(local, from.label, changes)
}

function unchanged({ ns, key }: Prompt, label: string): Difference {
  return { ns, key, result: 'same', detail: `same as ${label}`, changes: [] }
}

function changed({ ns, key }: Prompt, label: string, changes: readonly ConfigChange[]): Difference {
  const count = plural(changes.length, 'change')
  const detail = `${count} against ${label}`
  const lines = changesAsText(changes).split('\n')
  return { ns, key, result: 'different', detail, isFinding: true, lines, changes }
}

function toNewDifference(local: LocalConfig, env: string): Difference {
  const parsed = parseConfigSource(local.text)
  if (parsed.ok) return changed(local, `nothing live in ${env}`, diffConfigs(null, parsed.document))
  const problem = parsed.problems[0]
  throw new Unusable(
    `${local.file} is not a config: ${problem?.pointer ?? ''} ${problem?.message ?? ''}`,
  )
}

export function diffAsMarkdown(rows: readonly Difference[], env: string): string {
  const different = rows.filter(({ result }) => result !== 'same')
  if (different.length === 0) return `**Guardrails**: the same as in \`${env}\`.`
  const parts = different.flatMap(({ ns, key, detail, changes }) => [
    `### \`${ns}/${key}\``,
    `${detail}${changes.length === 0 ? '' : ':'}`,
    ...(changes.length === 0 ? [] : [changes.map(markdownLine).join('\n')]),
  ])
  return [`**Guardrails** against \`${env}\``, ...parts].join('\n\n')
}

const SIGN = { added: '➕', removed: '➖', changed: '✏️' } as const

/** Texts of a config are not Markdown: only code spans of our own sentences stay. */
function markdownLine({ kind, subject, detail, origin }: ConfigChange): string {
  const plain = (text: string) => text.replaceAll(/[<>|*_[\]\\#]/g, '\\$&').replaceAll('\n', ' ')
  return `- ${SIGN[kind]} ${plain(subject)}: ${plain(detail)}${describeOrigin(origin)}`
}

/** Lints the files on the server, which knows the custom types of its runtimes. */
export async function remoteLint(
  plane: ControlPlane,
  folder: ConfigFolder,
  names: readonly string[],
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const local of folder.configs(names)) {
    const { ns, key } = local
    const { publishable, problems } = await lintText(plane, local, local.text)
    const lines = problems.map(({ pointer, severity, message }) => {
      return `${pointer === '' ? '(document)' : pointer}  ${severity}  ${message}`
    })
    const detail = publishable ? 'publishable' : 'cannot be published'
    rows.push({
      ns,
      key,
      result: publishable ? 'publishable' : 'invalid',
      detail,
      lines,
      problems,
      isFinding: !publishable,
    })
  }
  return rows
}
