import fs from 'node:fs'
import { type ModelRequest, type ScriptedTurn, whyNotInstalled } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { ANSWER_SCHEMA } from '../test/claude-script.ts'
import {
  CONFIG,
  DONE,
  NEVER_DONE,
  run,
  selectEvents,
  verdicts,
  writing,
} from './test/run-claude.ts'

const OFFER: ScriptedTurn = { calls: [{ name: 'StructuredOutput', input: { answer: 'draft' } }] }
const IN_SCHEMA = ['--json-schema', JSON.stringify(ANSWER_SCHEMA)]

describe.skipIf(whyNotInstalled('first') !== null)('Claude Code', () => {
  test('reports its version and folder, and completes the session at its end', async () => {
    const ran = await run({ script: [DONE] })
    expect(selectEvents(ran, 'session.started')[0]?.data).toMatchObject({
      harness: { name: 'claude-code', version: '2.1.329' },
      workspace_root: ran.workspace,
    })
    expect(selectEvents(ran, 'session.ended')[0]?.data).toEqual({
      reason: 'completed',
      output: 'Done.',
    })
  })

  describe('structured output of Claude Code', () => {
    test('structured output of Claude Code is blocked four times and then allowed, because the run fails with the fifth denial', async () => {
      const ran = await run({ config: NEVER_DONE, script: () => OFFER, args: IN_SCHEMA })
      expect(verdicts(ran).slice(0, 5)).toEqual([
        ...Array(4).fill('blocked'),
        'bypassed(max_blocks)',
      ])
      expect(ran.result).toMatchObject({
        subtype: 'success',
        structured_output: { answer: 'draft' },
      })
      expect(selectEvents(ran, 'completion.overridden')).toHaveLength(1)
    })

    test('uses an attempt when Claude itself finds it invalid', async () => {
      const bad: ScriptedTurn = { calls: [{ name: 'StructuredOutput', input: { wrong: 1 } }] }
      const config = { ...CONFIG, task_completion_checker: { id: 'plan', type: 'plan' as const } }
      const plan: ScriptedTurn = {
        calls: [{ name: 'TaskCreate', input: { subject: 'Publish', description: 'd' } }],
      }
      const script = (request: ModelRequest) => [bad, bad, plan][request.index] ?? OFFER
      const ran = await run({ config, script, args: IN_SCHEMA })
      expect(verdicts(ran).slice(0, 5)).toEqual([
        'allowed',
        'allowed',
        'blocked',
        'blocked',
        'bypassed(max_blocks)',
      ])
      expect(ran.result).toMatchObject({ subtype: 'success' })
    })
  })

  test('leaves an overridden completion when the run ends despite a blocked stop', async () => {
    const ran = await run({
      config: NEVER_DONE,
      script: () => DONE,
      // A cap that the adapter does not know.
      env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' },
    })
    expect(ran.model.requests).toHaveLength(3)
    expect(verdicts(ran)).toEqual(Array(4).fill('blocked'))
    expect(selectEvents(ran, 'completion.overridden')).toHaveLength(1)
  })

  test('restarts its count of blocks after a tool call', async () => {
    const check: ScriptedTurn = { calls: [{ name: 'Bash', input: { command: 'true' } }] }
    const script = ({ index }: ModelRequest) => (index === 5 ? check : DONE)
    const ran = await run({ config: NEVER_DONE, script })
    expect(verdicts(ran).slice(0, 14)).toEqual([
      ...Array(13).fill('blocked'),
      'bypassed(max_blocks)',
    ])
  })

  test('reports calls that never ran as invalid or denied', async () => {
    const ran = await run({
      script: [
        {
          calls: [
            { id: 'unknown', name: 'Nope', input: {} },
            { id: 'invalid', name: 'Read', input: { path: 'x' } },
            { id: 'refused', name: 'WebFetch', input: { url: 'http://127.0.0.1/', prompt: 'x' } },
            { id: 'denied', name: 'Write', input: { file_path: '/x', content: '' } },
          ],
        },
        DONE,
      ],
      allowedTools: ['Write'],
    })
    const ends = selectEvents(ran, 'tool.invoked').map(({ data: { call_id, outcome } }) => [
      call_id,
      outcome,
    ])
    expect(Object.fromEntries(ends)).toEqual({
      unknown: 'invalid',
      invalid: 'invalid',
      refused: 'denied',
      denied: 'denied',
    })
    expect(ends).toHaveLength(4)
  })

  test('runs no denied call even when permissions are bypassed', async () => {
    const ran = await run({
      script: ({ index }) => (index === 0 ? writing('/tmp/signalbox-never.txt') : DONE),
      args: ['--permission-mode', 'bypassPermissions'],
      env: { IS_SANDBOX: '1' },
    })
    expect(ran.model.requests[1]).toContain("Tool 'write_file' requires: shell")
    expect(fs.existsSync('/tmp/signalbox-never.txt')).toBe(false)
  })

  describe('a sub-agent of Claude Code', () => {
    const WORK = 'SUBWORK'
    const started = (background: boolean): ScriptedTurn => ({
      calls: [
        {
          name: 'Agent',
          input: {
            description: 'd',
            prompt: WORK,
            subagent_type: 'general-purpose',
            run_in_background: background,
          },
        },
      ],
    })
    const isChild = ({ body }: ModelRequest) => {
      const [first] = Array.isArray(body['messages']) ? body['messages'] : []
      return JSON.stringify(first).includes(WORK)
    }

    test('a sub-agent of Claude Code is evaluated under its own id, and may be blocked', async () => {
      let asked = 0
      const ran = await run({
        config: { ...NEVER_DONE, limits: { max_stop_blocks: 1 } },
        script: (request) => {
          if (!isChild(request)) return request.index === 0 ? started(false) : DONE
          asked += 1
          return asked === 1
            ? { calls: [{ name: 'Bash', input: { command: 'true' } }] }
            : { say: 'Sub done.' }
        },
      })
      const [call] = selectEvents(ran, 'tool.requested').filter(({ data }) => data.tool === 'shell')
      const stops = selectEvents(ran, 'stop.attempted').map(({ data }) => data)
      expect(stops.map(({ via }) => via)).toEqual([
        'subagent_end',
        'subagent_end',
        'turn_end',
        'final',
      ])
      expect(call?.data.agent).toBe(stops[0]?.agent)
      expect(call?.data.agent).toBeTypeOf('string')
      expect(asked).toBe(3)
    })

    test('in the background makes the main agent wait without a stop attempt', async () => {
      const ran = await run({
        config: { ...NEVER_DONE, limits: { max_stop_blocks: 1 } },
        script: (request) => {
          if (isChild(request)) return { say: 'Sub done.' }
          return request.index === 0 ? started(true) : DONE
        },
      })
      const asked = ran.server.payloads.filter(isStop)
      const stops = selectEvents(ran, 'stop.attempted').map(({ data }) => data.via)
      expect(asked.length).toBeGreaterThan(stops.filter((via) => via === 'turn_end').length)
      // The wait was not a stop; the attempt after it was.
      expect(stops.at(-2)).toBe('turn_end')
      expect(
        selectEvents(ran, 'tool.invoked').find(({ data }) => data.tool === 'task')?.data.outcome,
      ).toBe('unknown')
    })
  })
})

function isStop(payload: unknown): boolean {
  return JSON.stringify(payload).includes('"hook_event_name":"Stop"')
}
