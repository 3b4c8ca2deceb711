import { describe, expect, test } from 'vitest'
import { Plan, ToolInvoked } from '../state/built-in-slices.ts'
import { Session } from '../state/session.ts'
import { memoryWorkspace } from '../workspace/workspace.ts'
import {
  CompositeChecker,
  ExpressionChecker,
  FilesExistChecker,
  LLMJudgeChecker,
  PlanBasedChecker,
  ToolSucceededChecker,
} from './built-in-checkers.ts'
import { type TaskCompletionChecker, TaskCompletionResult } from './completion.ts'
import { resolveChecker } from './resolve-checker.ts'

type Call = readonly [tool: string, outcome: 'success' | 'failure']

function sessionWith(...calls: readonly Call[]) {
  const session = new Session()
  for (const [i, [tool, outcome]] of calls.entries()) {
    session.dispatch(
      ToolInvoked({
        callId: `call_${i}`,
        tool,
        args: {},
        outcome,
        value: null,
        message: '',
        promptName: 'a',
        callIndex: i + 1,
        at: 0,
      }),
    )
  }
  return session
}

const no: TaskCompletionChecker = { check: () => TaskCompletionResult.incomplete('No.') }
const yes: TaskCompletionChecker = { check: async () => TaskCompletionResult.ok('Yes.') }

describe('a built-in checker called alone', () => {
  test('evaluates the plan in the session', async () => {
    const session = new Session()
    const checker = new PlanBasedChecker()
    expect((await checker.check({ session })).complete).toBe(true)
    session.dispatch(Plan({ steps: [{ title: 'Tests' }, { title: 'Docs', status: 'done' }] }))
    expect(await checker.check({ session })).toEqual(
      TaskCompletionResult.incomplete(
        'You have 1 incomplete task(s) out of 2. Please either complete all remaining tasks or update the plan to remove tasks that are no longer needed before producing output: Tests',
      ),
    )
  })

  test('evaluates files in the workspace, and finds none without a workspace', async () => {
    const session = new Session()
    const checker = new FilesExistChecker(['a.txt'])
    const filesystem = memoryWorkspace()
    expect((await checker.check({ session })).complete).toBe(false)
    expect((await checker.check({ session, filesystem })).feedback).toBe(
      'Missing required files: a.txt',
    )
    await filesystem.write('a.txt', '')
    expect(await checker.check({ session, filesystem })).toEqual(
      TaskCompletionResult.ok('All required files exist.'),
    )
  })

  test('evaluates the calls of the session in order', async () => {
    const checker = new ToolSucceededChecker({ tool: 'test', after: ['write'] })
    const complete = async (...calls: readonly Call[]) =>
      (await checker.check({ session: sessionWith(...calls) })).complete
    expect(await complete()).toBe(false)
    expect(await complete(['write', 'success'], ['test', 'success'])).toBe(true)
    expect(await complete(['test', 'success'], ['write', 'success'])).toBe(false)
    expect(await complete(['test', 'success'], ['test', 'failure'])).toBe(false)
  })

  test('evaluates a condition on the session and its output', async () => {
    const checker = new ExpressionChecker({ require: 'stop.output.done == true' })
    const session = new Session()
    expect((await checker.check({ session, tentativeOutput: { done: true } })).complete).toBe(true)
    expect((await checker.check({ session, tentativeOutput: { done: 1 } })).complete).toBe(false)
  })

  test('uses the judge model of the context, and follows requireAdapter without a model', async () => {
    const session = new Session()
    const criteria = 'It is done.'
    const model = { id: 'test/model', judge: async () => ({ complete: true, feedback: 'Good.' }) }
    expect(await new LLMJudgeChecker({ criteria }).check({ session, adapter: { model } })).toEqual(
      TaskCompletionResult.ok('Good.'),
    )
    expect(await new LLMJudgeChecker({ criteria }).check({ session })).toEqual(
      TaskCompletionResult.incomplete('LLM verification required but no adapter available.'),
    )
    const lenient = new LLMJudgeChecker({ criteria, requireAdapter: false })
    expect((await lenient.check({ session })).complete).toBe(true)
  })

  test('combines custom and built-in checkers', async () => {
    const session = new Session()
    const all = (...checkers: TaskCompletionChecker[]) => new CompositeChecker({ checkers })
    const any = (...checkers: TaskCompletionChecker[]) =>
      new CompositeChecker({ checkers, allMustPass: false })
    expect(await all(yes, new PlanBasedChecker(), all(no)).check({ session })).toEqual(
      TaskCompletionResult.incomplete('No.'),
    )
    expect(await any(no, yes).check({ session })).toEqual(TaskCompletionResult.ok('Yes.'))
    expect(await all().check({ session })).toEqual(
      TaskCompletionResult.ok('No checkers configured.'),
    )
  })

  test('throws when its declaration is invalid', async () => {
    const checker = new ExpressionChecker({ require: 'nothing.here' })
    await expect(checker.check({ session: new Session() })).rejects.toMatchObject({
      code: 'prompt_invalid',
    })
  })
})

describe('the checker of a prompt', () => {
  const log: string[] = []
  const resolve = (own: TaskCompletionChecker | null, adapter: TaskCompletionChecker | null) =>
    resolveChecker({ name: 'a:b', taskCompletionChecker: own }, adapter, ({ code }) =>
      log.push(code),
    )

  test('the checker of a prompt is used without a warning; the checker of an adapter is a fallback with a warning', () => {
    expect(resolve(yes, no)).toBe(yes)
    expect(resolve(null, null)).toBeNull()
    expect(log).toEqual([])
    expect(resolve(null, no)).toBe(no)
    expect(log).toEqual(['task_completion.deprecated_adapter_config'])
  })
})
