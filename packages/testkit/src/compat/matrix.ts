// Generated from the drivers alone; the tests prove each cell.
import type { RecordedCapabilities } from '@signalbox/core'
import type { CompatHarness } from './compat-harness.ts'
import { SCENARIOS } from './scenarios.ts'

const INTRODUCTION = `# Compatibility

What guardrails can do in each harness, proved by the compatibility kit (\`packages/testkit/src/compat\`) on the versions named
here. \`npm run compat\` runs the kit and writes this page; a test fails when it is stale.

A number is a harness of the first table. ✓: verified with the real package. A letter: the scenario does not apply, for the
reason below the table. Sessions show what a harness leaves open as *not fully enforced*.
`

export function compatibilityPage(harnesses: readonly CompatHarness[]): string {
  const reasons = new Map<string, string>()
  const rows = SCENARIOS.map(({ title, skip }) => [
    title,
    ...harnesses.map((harness) => {
      const reason = skip(harness)
      return reason === null ? '✓' : assignLetter(reason, reasons)
    }),
  ])
  const numbers = harnesses.map((_, index) => String(index + 1))
  return [
    INTRODUCTION,
    '## Harnesses\n',
    table(
      ['', 'Harness', 'Tested on', ...CAPABILITIES.map(([heading]) => heading)],
      harnesses.map(({ name, tested, capabilities }, index) => [
        String(index + 1),
        name,
        tested,
        ...CAPABILITIES.map(([, say]) => say(capabilities)),
      ]),
    ),
    '## Calls that bypass the guard\n',
    ungoverned(harnesses),
    '## Scenarios\n',
    table(['', ...numbers], rows),
    [...reasons].map(([reason, letter]) => `- **${letter}**: ${reason}`).join('\n'),
    '',
  ].join('\n')
}

type Column = readonly [heading: string, say: (capabilities: RecordedCapabilities) => string]

const CAPABILITIES: readonly Column[] = [
  ['Reason to the model', ({ deny_reason }) => (deny_reason ? 'yes' : 'no')],
  ['Feedback', ({ inject }) => inject.replace('_', ' ')],
  ['Blocks a stop', ({ block_stop }) => block_stop.replace('_', ' ')],
  ['Own limit of blocks', ({ max_blocks }) => (max_blocks === null ? 'none' : String(max_blocks))],
  ['Structured output', ({ structured }) => structured.replace('_', ' ')],
  ['Failures reported by', ({ failure }) => failure],
  ['Call ids', ({ call_ids }) => (call_ids ? 'yes' : 'no')],
  ['Replaces', (can) => listReplaced(can)],
  ['Calls of a step', ({ batch }) => batch],
  ['Guard crash', ({ on_guard_crash }) => on_guard_crash],
  ['Guard time-out', ({ on_guard_timeout }) => on_guard_timeout],
]

function listReplaced({ replaces_arguments, replaces_results }: RecordedCapabilities): string {
  const parts = [
    ...(replaces_arguments === true ? ['arguments'] : []),
    ...(replaces_results === true ? ['results'] : []),
  ]
  return parts.join(', ') || 'nothing'
}

function ungoverned(harnesses: readonly CompatHarness[]): string {
  const lines = harnesses.flatMap(({ name, capabilities }) =>
    capabilities.ungoverned.map((what) => `- ${name}: ${what}`),
  )
  return `${lines.join('\n')}\n`
}

function assignLetter(reason: string, reasons: Map<string, string>): string {
  const letter = reasons.get(reason) ?? String.fromCharCode('a'.charCodeAt(0) + reasons.size)
  reasons.set(reason, letter)
  return letter
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}
