import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** `first`: Claude and Codex, which every test run needs. `second`: opencode, Gemini, Copilot. */
export type HarnessTier = 'first' | 'second'

const HARNESSES = path.join(import.meta.dirname, '../../harnesses')

/** null: the tier is installed according to its lock. Else the reason, with the command that installs it. */
export function whyNotInstalled(tier: HarnessTier): string | null {
  const folder = path.join(HARNESSES, tier)
  const command = `npm run harnesses -- --tier ${tier}`
  if (!fs.existsSync(path.join(folder, 'node_modules'))) {
    return `the ${tier} tier of harnesses is not installed; ${command}`
  }
  const lock = fs.readFileSync(path.join(folder, 'package-lock.json'))
  const hash = crypto.createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const installed = path.basename(path.dirname(fs.realpathSync(path.join(folder, 'node_modules'))))
  if (installed.startsWith(`${tier}-${hash}-`)) return null
  return `the ${tier} tier of harnesses does not match its lock; ${command}`
}

/** Path of a file of an installed package. Throws when the tier is not installed. */
export function harnessFile(tier: HarnessTier, file: string): string {
  const reason = whyNotInstalled(tier)
  if (reason !== null) throw new Error(reason)
  return path.join(fs.realpathSync(path.join(HARNESSES, tier, 'node_modules')), file)
}

/** Imports an installed package, for which this workspace has no types: validate what you use. */
export async function importHarness(tier: HarnessTier, name: string): Promise<unknown> {
  const url = pathToFileURL(harnessFile(tier, 'signalbox-load.mjs')).href
  const loader: { load(name: string): Promise<unknown> } = await import(/* @vite-ignore */ url)
  return loader.load(name)
}
