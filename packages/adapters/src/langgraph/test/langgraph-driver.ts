import { tool } from '@langchain/core/tools'
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { toolsCondition } from '@langchain/langgraph/prebuilt'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatRun } from '@signalbox/testkit'
import * as z from 'zod/v4'
import { BENCH_TOOLS, type Bench, onBench, turnAt } from '../../test/compat-bench.ts'
import { type ScriptedAnswer, ScriptedChatModel } from '../../test/scripted-chat-model.ts'
import { LANGGRAPH_PROFILE } from '../capabilities.ts'
import { guardGraph } from '../guard-graph.ts'

const State = Annotation.Root({ ...MessagesAnnotation.spec, answer: Annotation<unknown> })

export const langgraphDriver: CompatHarness = {
  name: 'langgraph',
  tested: '@langchain/langgraph 1.7.3',
  capabilities: capabilitiesRecord(LANGGRAPH_PROFILE.capabilities),
  tools: BENCH_TOOLS,
  reportsUsage: true,
  run: (run) =>
    onBench(run, LANGGRAPH_PROFILE, async (bench) => {
      const model = new ScriptedChatModel(scriptAnswers(run))
      const guard = guardGraph(bench.session)
      const graph = new StateGraph(State)
        .addNode('model', async ({ messages }) => {
          const message = await model.invoke(messages)
          const output = run.script[model.requests.length - 1]
          const isOutput = output !== undefined && 'output' in output
          return { messages: [message], ...(isOutput ? { answer: output.output } : {}) }
        })
        .addNode('tools', guard.toolNode(benchTools(bench)))
        .addNode('stop', guard.stopNode({ model: 'model', output: 'answer' }), {
          ends: ['model', END],
        })
        .addEdge(START, 'model')
        .addConditionalEdges('model', toolsCondition, { tools: 'tools', [END]: 'stop' })
        .addEdge('tools', 'model')
        .compile()
      const input = { messages: [{ role: 'user', content: 'Begin.' }] }
      const { messages, answer } = await graph.invoke(input, { recursionLimit: 200 })
      return { requests: model.requests, output: answer ?? messages.at(-1)?.text ?? null }
    }),
}

function scriptAnswers({ script }: CompatRun): readonly ScriptedAnswer[] {
  return script.map((_, index) => {
    const { calls, text } = turnAt(script, index)
    return { calls, ...(text === null ? {} : { text }) }
  })
}

function benchTools({ session, write, read, check }: Bench) {
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
    tool(
      async ({ steps }) => {
        await session.session.updatePlan(steps)
        return 'Noted.'
      },
      {
        name: BENCH_TOOLS.plan,
        description,
        schema: z.object({
          steps: z.array(z.object({ title: z.string(), status: z.enum(['pending', 'done']) })),
        }),
      },
    ),
  ]
}
