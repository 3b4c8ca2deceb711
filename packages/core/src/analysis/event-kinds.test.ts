import { expect, test } from 'vitest'
import type { SessionEvent } from '../model/event.ts'
import { summarizeEvent } from './event-kinds.ts'

function requested(file_path: string, files: readonly string[]): SessionEvent {
  return {
    session: 'sess_1',
    seq: 1,
    at: 0,
    type: 'tool.requested',
    data: {
      call_id: 'call_1',
      tool: 'write_file',
      args: { content: 'text', file_path },
      facts: { files: Object.fromEntries(files.map((file) => [file, { exists: false }])) },
    },
  }
}

test.each([
  ['/home/ana/shop/docs/NOTES.md', ['docs/NOTES.md'], 'docs/NOTES.md'],
  ['docs/NOTES.md', ['docs/NOTES.md'], 'docs/NOTES.md'],
  ['/etc/NOTES.md.bak', ['NOTES.md'], '/etc/NOTES.md.bak'],
  ['/home/ana/shop/MY-NOTES.md', ['NOTES.md'], '/home/ana/shop/MY-NOTES.md'],
  ['/etc/passwd', [], '/etc/passwd'],
])(
  'the event summary of a call about %s is its path in the workspace, if it has one',
  (path, files, line) => {
    expect(summarizeEvent(requested(path, files)).summary).toBe(line)
  },
)

test.each([
  [{}, 'expired'],
  [{ message: 'Another worker has it.' }, 'expired · Another worker has it.'],
])('the event summary of an expired lease with the data %j is "%s"', (data, summary) => {
  const event = { session: 'sess_1', seq: 1, at: 0, type: 'lease.expired', data } as const
  expect(summarizeEvent(event)).toMatchObject({ subject: 'lease', summary })
})

test('the event summary of feedback names the id of its rule, not its class', () => {
  const data = {
    provider: 'progress',
    type: 'tool_usage',
    name: 'ToolUsageMonitor',
    pointer: '',
    mode: 'enforce',
    severity: 'caution',
    summary: 'Look',
    observations: [],
    suggestions: [],
    conditions: [],
  }
  const event = { session: 'sess_1', seq: 1, at: 0, type: 'feedback.delivered', data }
  expect(summarizeEvent(event as unknown as SessionEvent)).toMatchObject({
    subject: 'progress',
    verdict: 'caution',
  })
})
