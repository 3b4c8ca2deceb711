// A loop in no harness: `guardTools` of the runtime, `beforeStop`, and nothing else.
import { guardTools, type HarnessCapabilities } from '@signalbox/runtime'
import { capabilitiesRecord, type HarnessProfile } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatRun } from '@signalbox/testkit'
import * as z from 'zod/v4'
import { BENCH_TOOLS, type Bench, type Driven, onBench, turnAt } from './compat-bench.ts'

/** Capabilities of a bare loop. Its sessions record none, which means the same. */
const CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'in_result',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'before_accept',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: null,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: [],
}

const PROFILE: HarnessProfile = { name: 'loop', capabilities: CAPABILITIES, tools: {} }

export const bareLoopDriver: CompatHarness = {
  name: 'runtime (guardTools)',
  tested: '@signalbox/runtime 0.1.0',
  capabilities: capabilitiesRecord(CAPABILITIES),
  tools: BENCH_TOOLS,
  reportsUsage: true,
  run: (run) => onBench(run, PROFILE, (bench) => loop(run, bench)),
}

async function loop({ script }: CompatRun, bench: Bench): Promise<Driven> {
  const { session } = bench.session
  const runCalls = guardTools(benchTools(bench), session)
  const requests: string[] = []
  const history = ['Begin.']
  for (let turn = 0; turn < 100; turn += 1) {
    requests.push(history.join('\n'))
    const { calls, text, output } = turnAt(script, turn)
    const usage = { evaluation_id: `turn_${turn}`, input_tokens: 10, output_tokens: 5 }
    await session.recordUsage(usage)
    if (calls.length > 0) {
      const named = calls.map(({ id, tool, input }) => ({ id, name: tool, args: input }))
      // The loop ends where its guard is broken.
      const answers = await runCalls(named).catch(() => null)
      if (answers === null) return { requests, output: null }
      history.push(...answers.map((answer) => answer.text))
      continue
    }
    const stop = await session.beforeStop(
      output === null
        ? { via: 'turn_end', lastMessage: text ?? '' }
        : { via: 'structured_output', output },
    )
    if (stop.allowed) return { requests, output: output ?? text }
    history.push(stop.message)
  }
  throw new Error('The loop did not end.')
}

const Write = z.object({ file_path: z.string(), content: z.string() })
const Read = z.object({ file_path: z.string() })
const Check = z.object({ how: z.string() })
const Steps = z.object({
  steps: z.array(z.object({ title: z.string(), status: z.enum(['pending', 'done']) })),
})

function benchTools({ session, write, read, check }: Bench) {
  return {
    [BENCH_TOOLS.write]: (args: unknown) => {
      const { file_path, content } = Write.parse(args)
      return write(file_path, content)
    },
    [BENCH_TOOLS.read]: (args: unknown) => read(Read.parse(args).file_path),
    [BENCH_TOOLS.check]: (args: unknown) => check(Check.parse(args).how),
    [BENCH_TOOLS.plan]: (args: unknown) => session.session.updatePlan(Steps.parse(args).steps),
  }
}
