import { assertType, expectTypeOf, test } from 'vitest'
import * as z from 'zod/v4'
import {
  createPromptSession,
  defineResource,
  defineSlice,
  MarkdownSection,
  type Plan,
  PlanBasedChecker,
  Prompt,
  type PromptSession,
  PromptTemplate,
  type TaskCompletionChecker,
  Tool,
  type ToolExecution,
  type ToolPolicy,
  ToolResult,
} from '../index.ts'

const Db = defineResource<{ query(sql: string): Promise<number> }>('db')
const Count = defineSlice<number>('count')

const template = new PromptTemplate({
  ns: 'a',
  key: 'b',
  sections: [],
  parameters: z.object({ who: z.string(), times: z.number() }),
  output: z.strictObject({ done: z.boolean() }),
})

test('a handler gets the arguments of its schema', () => {
  const tool = new Tool({
    name: 'count',
    parameters: z.strictObject({ sql: z.string(), limit: z.number().default(1) }),
    slice: Count,
    handler: async (params, { resources }) => {
      expectTypeOf(params).toEqualTypeOf<{ sql: string; limit: number }>()
      return ToolResult.ok(await resources.get(Db).query(params.sql))
    },
  })
  assertType(new MarkdownSection({ tools: [tool] }))
})

test('a tool can only keep values of its slice', () => {
  new Tool({
    name: 'wrong',
    parameters: z.strictObject({}),
    // @ts-expect-error the handler gives text
    slice: Count,
    handler: () => ToolResult.ok('text'),
  })
})

test('parameters are bound by name, and the output is that of the schema', () => {
  const prompt = new Prompt(template).bind({ who: 'Ada' })
  expectTypeOf(prompt.parseOutput({})).resolves.toEqualTypeOf<{ done: boolean }>()
  expectTypeOf(createPromptSession(prompt)).toEqualTypeOf<
    PromptSession<{ who: string; times: number }, { done: boolean }>
  >()
  // @ts-expect-error there is no such parameter
  assertType(prompt.bind({ whom: 'Ada' }))
})

test('without schemas parameters are text, numbers and booleans, and the output is text', () => {
  const prompt = new Prompt(new PromptTemplate({ ns: 'a', key: 'b', sections: [] }))
  expectTypeOf(prompt.parseOutput('')).resolves.toEqualTypeOf<string>()
  // @ts-expect-error a list cannot be printed
  assertType(prompt.bind({ list: [] }))
})

test('custom rules can be plain objects', () => {
  assertType<ToolPolicy>({ name: 'a', check: () => ({ allowed: true }) })
  assertType<TaskCompletionChecker>({ check: async () => ({ complete: false, feedback: 'No.' }) })
  // @ts-expect-error a policy must return `allowed`
  assertType<ToolPolicy>({ name: 'a', check: () => ({ reason: 'x' }) })
})

test('a plan may be any slice with steps', () => {
  const Mine = defineSlice<Plan & { readonly goal: string }>('mine')
  assertType(new PlanBasedChecker({ plan: Mine }))
  // @ts-expect-error a number has no steps
  assertType(new PlanBasedChecker({ plan: Count }))
})

test('the outcome of an execution is success, failure, denied or invalid', () => {
  expectTypeOf<ToolExecution['outcome']>().toEqualTypeOf<
    'success' | 'failure' | 'denied' | 'invalid'
  >()
})
