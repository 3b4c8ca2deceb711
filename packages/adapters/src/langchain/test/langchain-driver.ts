import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatRun } from '@signalbox/testkit'
import {
  type AgentMiddleware,
  createAgent,
  todoListMiddleware,
  tool,
  toolStrategy,
} from 'langchain'
import * as z from 'zod/v4'
import {
  BENCH_TOOLS,
  type Bench,
  type BenchCall,
  givesOutput,
  onBench,
  turnAt,
} from '../../test/compat-bench.ts'
import { type ScriptedAnswer, ScriptedChatModel } from '../../test/scripted-chat-model.ts'
import { LANGCHAIN_PROFILE } from '../capabilities.ts'
import { guardMiddleware } from '../guard-middleware.ts'

const ANSWER = toolStrategy(z.object({ answer: z.string() }))

export const langchainDriver: CompatHarness = {
  name: 'langchain',
  tested: 'langchain 1.5.14',
  capabilities: capabilitiesRecord(LANGCHAIN_PROFILE.capabilities),
  tools: BENCH_TOOLS,
  reportsUsage: true,
  run: (run) =>
    onBench(run, LANGCHAIN_PROFILE, async (bench) => {
      const model = new ScriptedChatModel(scriptAnswers(run))
      const settings = {
        model,
        tools: benchTools(bench),
        middleware: [guardMiddleware(bench.session), todoList()],
      }
      const input = { messages: [{ role: 'user', content: 'Begin.' }] }
      const limit = { recursionLimit: 200 }
      if (givesOutput(run)) {
        const agent = createAgent({ ...settings, responseFormat: ANSWER })
        const { structuredResponse } = await agent.invoke(input, limit)
        return { requests: model.requests, output: structuredResponse }
      }
      const { messages } = await createAgent(settings).invoke(input, limit)
      return { requests: model.requests, output: messages.at(-1)?.text ?? null }
    }),
}

function todoList(): AgentMiddleware {
  // The middleware of LangChain. With exact optional properties, its declared type does not fit the parameter of createAgent.
  return todoListMiddleware() as unknown as AgentMiddleware
}

function scriptAnswers(run: CompatRun): readonly ScriptedAnswer[] {
  return run.script.map((_, index) => {
    const { calls, text, output } = turnAt(run.script, index)
    if (output !== null) {
      const [{ name } = { name: '' }] = ANSWER
      return { calls: [{ id: `output_${index}`, tool: name, input: output }] }
    }
    return { calls: calls.map(nativeCall), ...(text === null ? {} : { text }) }
  })
}

function nativeCall(call: BenchCall): BenchCall {
  if (call.tool !== BENCH_TOOLS.plan) return call
  const steps = z
    .array(z.object({ title: z.string(), status: z.string() }))
    .parse(call.input['steps'])
  const todos = steps.map(({ title, status }) => ({
    content: title,
    status: status === 'done' ? 'completed' : status,
  }))
  return { ...call, tool: 'write_todos', input: { todos } }
}

function benchTools({ write, read, check }: Bench) {
  const description = 'As its name says.'
  return [
    tool(({ file_path, content }) => write(file_path, content), {
      name: BENCH_TOOLS.write,
      description,
      schema: z.object({ file_path: z.string(), content: z.string() }),
    }),
    tool(({ file_path }) => read(file_path), {
      name: BENCH_TOOLS.read,
      description,
      schema: z.object({ file_path: z.string() }),
    }),
    tool(({ how }) => check(how), {
      name: BENCH_TOOLS.check,
      description,
      schema: z.object({ how: z.string() }),
    }),
  ]
}
