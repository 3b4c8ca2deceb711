import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import { type HarnessExit, runHarness } from './harness-process.ts'
import { harnessFile } from './installed-harness.ts'
import { type HarnessLaunch, homeEnvironment } from './launch.ts'

export interface GeminiLaunch extends HarnessLaunch {
  /** Merged over the launcher's settings, one level deep: `hooks`, `mcpServers`. */
  readonly settings?: JsonObject
}

/** Throws when the program is not installed. */
export function geminiProgram(): string {
  return harnessFile('second', '@google/gemini-cli/bundle/gemini.js')
}

/** Standard output has one JSON event per line. */
export function launchGemini(launch: GeminiLaunch): Promise<HarnessExit> {
  const folder = path.join(launch.home, '.gemini')
  fs.mkdirSync(folder, { recursive: true })
  const settings = merged(SETTINGS, launch.settings ?? {})
  fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings))
  return runHarness({
    ...launch,
    program: process.execPath,
    args: [
      geminiProgram(),
      ...['-p', launch.prompt],
      ...['--model', 'gemini-2.5-pro', '--approval-mode', 'yolo', '--output-format', 'stream-json'],
      ...(launch.args ?? []),
    ],
    cwd: launch.workspace,
    env: {
      ...homeEnvironment(launch.home),
      GEMINI_API_KEY: 'test-key',
      GOOGLE_GEMINI_BASE_URL: launch.modelUrl,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      ...launch.env,
    },
  })
}

const SETTINGS: JsonObject = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
}

function merged(ours: JsonObject, theirs: JsonObject): JsonObject {
  const pairs = Object.entries(theirs).map(([name, value]) => {
    const own = ours[name]
    return [name, isJsonObject(own) && isJsonObject(value) ? { ...own, ...value } : value]
  })
  return { ...ours, ...Object.fromEntries(pairs) }
}
