import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import {
  createPromptSession,
  defineSlice,
  MarkdownSection,
  memoryWorkspace,
  Prompt,
  PromptTemplate,
  Tool,
  ToolInvoked,
  ToolResult,
  type Workspace,
} from '../index.ts'

const Note = defineSlice<string>('note')

const call = fc.record({
  writes: fc.array(
    fc.record({ file: fc.constantFrom('a', 'b', 'c/d'), text: fc.option(fc.string()) }),
    { minLength: 1, maxLength: 4 },
  ),
  end: fc.constantFrom('ok' as const, 'error' as const, 'throw' as const),
})

interface Write {
  readonly call: number
  readonly file: string
  readonly text: string | null
}

async function runOverlapping(
  calls: readonly (typeof call extends fc.Arbitrary<infer Call> ? Call : never)[],
  scheduler: fc.Scheduler,
) {
  const workspace = memoryWorkspace({ a: 'first' })
  const written: Write[] = []
  const tool = new Tool({
    name: 'work',
    parameters: z.strictObject({ call: z.int() }),
    handler: async ({ call: at }, { filesystem, session }) => {
      for (const [i, { file, text }] of (calls[at]?.writes ?? []).entries()) {
        await scheduler.schedule(Promise.resolve(), `call ${at} write ${i}`)
        await (text === null ? filesystem.delete(file) : filesystem.write(file, text))
        written.push({ call: at, file, text })
        session.dispatch(Note(`${at}.${i}`))
      }
      await scheduler.schedule(Promise.resolve(), `call ${at} ends`)
      if (calls[at]?.end === 'throw') throw new Error('broken')
      return calls[at]?.end === 'error' ? ToolResult.error('no') : ToolResult.ok('yes')
    },
  })
  const sections = [new MarkdownSection({ tools: [tool] })]
  const prompt = new Prompt(new PromptTemplate({ ns: 'a', key: 'b', sections, slices: [Note] }))
  const run = createPromptSession(prompt, { workspace })
  const results = calls.map((_, at) => run.execute({ tool: 'work', args: { call: at } }))
  await scheduler.waitFor(Promise.all(results))
  return { run, workspace, written, results: await Promise.all(results) }
}

async function readIfExists(workspace: Workspace, file: string): Promise<string | null> {
  return (await workspace.exists(file)) ? workspace.read(file) : null
}

describe('overlapping calls', () => {
  test('keep exactly the writes of the successful ones, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 5 }),
        fc.scheduler(),
        async (calls, scheduler) => {
          const { run, workspace, written, results } = await runOverlapping(calls, scheduler)
          const kept = written.filter(({ call: at }) => calls[at]?.end === 'ok')
          for (const file of ['a', 'b', 'c/d']) {
            const last = kept.findLast((write) => write.file === file)
            const before = file === 'a' ? 'first' : null
            expect(await readIfExists(workspace, file)).toBe(
              last === undefined ? before : last.text,
            )
          }
          const expected = calls.flatMap(({ end, writes }, at) =>
            end === 'ok' ? [writes.map((_, i) => `${at}.${i}`)] : [],
          )
          const notes = run.session.slice(Note).all()
          expect(notes).toHaveLength(expected.flat().length)
          for (const own of expected) {
            const at = notes.indexOf(own[0] ?? '')
            expect(notes.slice(at, at + own.length)).toEqual(own)
          }
          expect(results.map(({ outcome }) => outcome)).toEqual(
            calls.map(({ end }) => (end === 'ok' ? 'success' : 'failure')),
          )
          const records = run.session.slice(ToolInvoked).all()
          expect(records.map(({ callIndex }) => callIndex)).toEqual(calls.map((_, i) => i + 1))
        },
      ),
    )
  })
})
