import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { JsonObject } from '@signalbox/core'
import { type HarnessExit, runHarness } from './harness-process.ts'
import { harnessFile } from './installed-harness.ts'
import { type HarnessLaunch, homeEnvironment } from './launch.ts'

export interface CopilotLaunch extends HarnessLaunch {
  /** Written to a file in the home's hooks folder: `{"version": 1, "hooks": {"preToolUse": […]}}`. */
  readonly hooks?: JsonObject
}

/** Throws when the program is not installed. */
export function copilotProgram(): string {
  return harnessFile('second', `@github/copilot-${process.platform}-${process.arch}/copilot`)
}

export function copilotEnvironment(launch: {
  readonly home: string
  readonly modelUrl: string
}): Record<string, string> {
  shareUnpacked(launch.home)
  return {
    ...homeEnvironment(launch.home),
    COPILOT_HOME: copilotHome(launch.home),
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: launch.modelUrl,
    COPILOT_PROVIDER_API_KEY: 'test-key',
    COPILOT_MODEL: 'gpt-4.1',
  }
}

/** Standard output has one JSON message per line. */
export function launchCopilot(launch: CopilotLaunch): Promise<HarnessExit> {
  if (launch.hooks !== undefined) {
    const folder = path.join(copilotHome(launch.home), 'hooks')
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'lab.json'), JSON.stringify(launch.hooks))
  }
  return runHarness({
    ...launch,
    program: copilotProgram(),
    args: [
      ...['-p', launch.prompt],
      ...['--allow-all-tools', '--output-format', 'json', '--disable-client-telemetry'],
      ...(launch.args ?? []),
    ],
    cwd: launch.workspace,
    env: { ...copilotEnvironment(launch), ...launch.env },
  })
}

/** Links all homes to one copy next to the installation, because Copilot unpacks 235 MB of its own files into every new home. */
function shareUnpacked(home: string): void {
  const link = path.join(home, '.cache/copilot/pkg')
  if (fs.existsSync(link)) return
  const unpacked = harnessFile('second', '../copilot-unpacked')
  fs.mkdirSync(unpacked, { recursive: true })
  fs.mkdirSync(path.dirname(link), { recursive: true })
  fs.symlinkSync(unpacked, link, 'junction')
}

function copilotHome(home: string): string {
  return path.join(home, '.copilot')
}
