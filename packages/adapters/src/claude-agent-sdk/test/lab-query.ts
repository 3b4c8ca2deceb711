import { isJsonObject, type JsonObject } from '@signalbox/core'
import {
  claudeEnvironment,
  claudeProgram,
  importHarness,
  type LabFolders,
  type ModelServer,
} from '@signalbox/testkit'

type Query = (call: {
  readonly prompt: string | AsyncIterable<unknown>
  readonly options: { readonly [name: string]: unknown }
}) => RunningQuery

export type RunningQuery = AsyncIterable<unknown> & { interrupt(): Promise<unknown> }

const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Agent', 'TaskCreate', 'TaskUpdate']

export async function labQuery(
  { home, workspace }: LabFolders,
  model: ModelServer,
  {
    prompt = 'Do it.',
    ...options
  }: { readonly prompt?: string | AsyncIterable<unknown>; readonly [name: string]: unknown },
): Promise<RunningQuery> {
  const sdk = await importHarness('first', '@anthropic-ai/claude-agent-sdk')
  if (!hasQuery(sdk)) throw new Error('The Agent SDK has no query().')
  return sdk.query({
    prompt,
    options: {
      cwd: workspace,
      env: claudeEnvironment({ home, modelUrl: model.url }),
      pathToClaudeCodeExecutable: claudeProgram(),
      settingSources: [],
      allowedTools: TOOLS,
      ...options,
    },
  })
}

/** All messages up to the end of the query. The SDK throws the error of its last result. */
export async function collectMessages(
  query: AsyncIterable<unknown>,
): Promise<readonly JsonObject[]> {
  const messages: JsonObject[] = []
  try {
    for await (const message of query) if (isJsonObject(message)) messages.push(message)
  } catch (error) {
    if (messages.at(-1)?.['type'] !== 'result') throw error
  }
  return messages
}

function hasQuery(sdk: unknown): sdk is { readonly query: Query } {
  return (
    typeof sdk === 'object' && sdk !== null && 'query' in sdk && typeof sdk.query === 'function'
  )
}
