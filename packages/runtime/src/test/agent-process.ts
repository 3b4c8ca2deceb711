import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { startProgram } from '@signalbox/testkit'

export async function startAgent(
  name:
    | 'emitting-agent'
    | 'forgetful-agent'
    | 'journaling-agent'
    | 'remembering-agent'
    | 'sharing-agent'
    | 'stranded-agent',
  place: { readonly folder: string; readonly args: readonly string[] },
): Promise<ChildProcess> {
  return await startProgram(path.join(import.meta.dirname, `${name}.ts`), place)
}
