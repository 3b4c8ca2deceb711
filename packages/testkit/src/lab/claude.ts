import path from 'node:path'
import process from 'node:process'
import type { JsonObject } from '@signalbox/core'
import { type HarnessExit, readSystemPath, runHarness } from './harness-process.ts'
import { harnessFile } from './installed-harness.ts'
import { type HarnessLaunch, homeEnvironment } from './launch.ts'

export interface ClaudeLaunch extends HarnessLaunch {
  readonly settings?: JsonObject
  /** Tools that need no permission; MCP tools are named individually. Absent: every built-in tool that tests use. */
  readonly allowedTools?: readonly string[]
}

const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'NotebookEdit', 'TodoWrite', 'Task']

/** Throws when the program is not installed. */
export function claudeProgram(): string {
  const platform = `${process.platform}-${process.arch}`
  return harnessFile('first', `@anthropic-ai/claude-agent-sdk-${platform}/claude`)
}

/** The whole environment of a Claude process, PATH included, for the Agent SDK's `env` option. */
export function claudeEnvironment(launch: {
  readonly home: string
  readonly modelUrl: string
}): Record<string, string> {
  return {
    PATH: readSystemPath(),
    ...homeEnvironment(launch.home),
    CLAUDE_CONFIG_DIR: path.join(launch.home, '.claude'),
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: launch.modelUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    // Keeps MCP tools from being hidden behind a search tool.
    ENABLE_TOOL_SEARCH: 'false',
  }
}

/** Standard output has one JSON message per line. */
export function launchClaude(launch: ClaudeLaunch): Promise<HarnessExit> {
  const settings =
    launch.settings === undefined ? [] : ['--settings', JSON.stringify(launch.settings)]
  const tools = launch.allowedTools ?? TOOLS
  return runHarness({
    ...launch,
    program: claudeProgram(),
    // The prompt is sent on standard input, because options with lists of tools consume the arguments after them.
    args: [
      '-p',
      ...['--output-format', 'stream-json', '--verbose'],
      ...['--model', 'claude-sonnet-4-5'],
      ...settings,
      ...['--allowedTools', tools.join(',')],
      ...(launch.args ?? []),
    ],
    cwd: launch.workspace,
    env: { ...claudeEnvironment(launch), ...launch.env },
    stdin: launch.prompt,
  })
}
