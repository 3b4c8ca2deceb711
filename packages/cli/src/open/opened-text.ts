import { type CheckNode, ENGINE_VERSION, plural } from '@signalbox/core/analysis'
import { printable } from '../base/printable.ts'
import { type OpenedBundle, statusSentence } from '../portable/index.ts'

type Shown = Exclude<OpenedBundle, { readonly status: 'refused' }>

/** Names are stable; the order of keys is not. */
export function openedAsJson(opened: OpenedBundle): string {
  const { status } = opened
  const sentence = statusSentence(opened)
  if (opened.status === 'refused')
    return JSON.stringify({ status, sentence, defect: opened.defect })
  const { head, signer, reading, events } = opened
  const { from, verdict, sentence: reason, ...rest } = reading
  return JSON.stringify({
    status,
    sentence,
    kind: head.kind,
    id: head.id,
    session: head.session,
    seq: head.seq,
    at: head.at,
    verdict,
    reason,
    reading_from: from,
    ...rest,
    decisions: 'decisions' in opened ? opened.decisions : null,
    events: events.length,
    divergence: 'divergence' in opened ? opened.divergence : null,
    missing: 'why' in opened ? opened.why : [],
    redacted: head.redacted,
    configs: head.configs.map(({ digest, version }) => ({ digest, version })),
    signer: { key_id: signer.keyId, public_key: signer.publicKey, is_known: signer.isKnown },
    made_at: head.made_at,
    engine: head.engine,
    own_engine: ENGINE_VERSION,
  })
}

export function openedAsLines(opened: OpenedBundle, file: string): readonly string[] {
  const lines =
    opened.status === 'refused'
      ? [`refused: ${file}`, statusSentence(opened)]
      : [
          `${opened.status.replaceAll('_', ' ')}: ${opened.head.id}`,
          statusSentence(opened),
          ...divergenceLines(opened),
          ...readingLines(opened),
          ...originLines(opened),
        ]
  return lines.map(printable)
}

function divergenceLines(opened: Shown): readonly string[] {
  if (opened.status !== 'diverged' || opened.divergence.why === 'broken_chain') return []
  const { expected, recorded } = opened.divergence
  return [`  recomputed: ${JSON.stringify(expected)}`, `  recorded:   ${JSON.stringify(recorded)}`]
}

function readingLines({ reading, head }: Shown): readonly string[] {
  const { from, verdict, sentence, message, steps, checks, rules } = reading
  const isStop = head.kind === 'stop'
  return [
    '',
    `${isStop ? 'Stop' : 'Call'} ${verdict.replaceAll('_', ' ')}: ${sentence}`,
    ...(from === 'told' ? ['(as recorded by the control plane; not recomputed here)'] : []),
    ...titled(
      isStop ? 'What would unblock it' : 'What would allow it',
      steps.map(
        ({ text, owner, obstacle }, index) =>
          `${index + 1}. ${text} (${owner}${obstacle === null ? '' : `; problem: ${obstacle}`})`,
      ),
    ),
    ...titled('Checks', checks === null ? [] : checkLines(checks, 0)),
    ...titled(
      'Rules',
      rules.map(({ rule, type, result, mode, sentence: why }) => {
        const shadow = mode === 'enforce' ? '' : `, ${mode}`
        return `${rule} (${type}${shadow}): ${result}. ${why}`
      }),
    ),
    ...titled('Message to the agent', message === null ? [] : message.split('\n')),
  ]
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)]
}

function checkLines(node: CheckNode, depth: number): readonly string[] {
  const own = `${'  '.repeat(depth)}${node.checker} (${node.type}): ${node.status.replaceAll('_', ' ')}. ${node.sentence}`
  return [own, ...(node.children ?? []).flatMap((child) => checkLines(child, depth + 1))]
}

function originLines({ head, signer }: Shown): readonly string[] {
  const versions = head.configs.map(
    ({ digest, version }) => `${version === null ? '' : `v${version} `}${digest}`,
  )
  return [
    '',
    `session  ${head.session} #${head.seq}, ${new Date(head.at).toISOString()}, ${head.environment} of ${head.project}`,
    `config   ${head.ns}/${head.key} ${versions.join(', ') || 'none in the file'}`,
    `redacted ${head.redacted === 0 ? 'nothing' : `${plural(head.redacted, 'value')}, before they were recorded`}`,
    `made     ${new Date(head.made_at).toISOString()} with engine ${head.engine} (this program: ${ENGINE_VERSION}), ${head.url}`,
    `signed   by key ${signer.keyId}`,
    signer.isKnown
      ? '         which matches the given key'
      : `         NOT verified against a known key. Compare it with Settings, Signing key in the console, then use --key ${signer.publicKey}`,
  ]
}
