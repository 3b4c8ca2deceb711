import { omitUndefined, type SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import {
  type CompatHarness,
  type CompatOutcome,
  type CompatRun,
  makeLabFolders,
  startAnthropicServer,
} from '@signalbox/testkit'
import { claudeCapabilities } from '../../claude-code/index.ts'
import {
  ANSWER_SCHEMA,
  CLAUDE_COMPAT_TOOLS,
  claudeScript,
  givesOutput,
} from '../../test/claude-script.ts'
import { orderGiver } from '../../test/give-orders.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import { guardQuery, type QueryGuard } from '../guard-query.ts'
import type { ClaudeHookCallback } from '../sdk-types.ts'
import { collectMessages, labQuery } from './lab-query.ts'

const VERSION = '0.3.329'

export const claudeAgentSdkDriver: CompatHarness = {
  name: 'claude-agent-sdk',
  tested: `@anthropic-ai/claude-agent-sdk ${VERSION}`,
  capabilities: capabilitiesRecord(claudeCapabilities(null, 'callback')),
  tools: CLAUDE_COMPAT_TOOLS,
  reportsUsage: true,
  run: runQuery,
}

async function runQuery(run: CompatRun): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const model = await startAnthropicServer(claudeScript(run.script, folders.workspace))
  const events: SessionEvent[] = []
  const giver = orderGiver(run.orders)
  const guard = guardQuery(
    giver.follow(
      createGuardrails({
        config: run.config,
        onEvent: (line) => {
          events.push(JSON.parse(line))
          giver.onEvent(line)
        },
      }),
    ),
    {
      version: VERSION,
      timeoutSeconds: run.guard === 'hangs' ? 1 : 30,
      session: {
        ...omitUndefined({
          deadlineAt: run.deadlineInMs === undefined ? undefined : Date.now() + run.deadlineInMs,
          budget: run.budget,
        }),
      },
    },
  )
  try {
    const query = await labQuery(folders, model, {
      hooks: failing(guard, run.guard),
      ...(givesOutput(run) ? { outputFormat: { type: 'json_schema', schema: ANSWER_SCHEMA } } : {}),
    })
    const result = (await collectMessages(guard.follow(query))).findLast(
      ({ type }) => type === 'result',
    )
    return {
      requests: model.requests,
      files: textFilesIn(folders.workspace),
      events,
      output: result?.['structured_output'] ?? result?.['result'] ?? null,
    }
  } finally {
    await model.close()
    folders.remove()
  }
}

function failing({ hooks }: QueryGuard, how: CompatRun['guard']): QueryGuard['hooks'] {
  if (how === undefined) return hooks
  const callback: ClaudeHookCallback =
    how === 'hangs'
      ? () => new Promise(() => {})
      : () => Promise.reject(new Error('The guard broke.'))
  return { ...hooks, PreToolUse: hooks.PreToolUse.map((each) => ({ ...each, hooks: [callback] })) }
}
