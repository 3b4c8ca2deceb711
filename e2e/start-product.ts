// Starts the product in a fresh folder, makes the first administrator through the printed link, and stops it at the end.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { chromium, expect } from '@playwright/test'
import config from '../playwright.config.ts'
import { ADMIN, DATA_DIR, ORIGIN, PORT, ROOT } from './product.ts'

const READY_WITHIN_MS = 180_000

function start(): Promise<{ readonly line: string; readonly stop: () => Promise<void> }> {
  rmSync(DATA_DIR, { recursive: true, force: true })
  mkdirSync(DATA_DIR, { recursive: true })
  const child = spawn(
    process.execPath,
    [path.join(ROOT, 'scripts/start.mjs'), '--port', String(PORT), '--no-demo'],
    {
      cwd: ROOT,
      env: { ...process.env, SIGNALBOX_DATA_DIR: DATA_DIR },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      if (!child.kill('SIGTERM')) resolve()
    })
  return new Promise((resolve, reject) => {
    let output = ''
    const late = setTimeout(
      () => reject(new Error(`The product did not start:\n${output}`)),
      READY_WITHIN_MS,
    )
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const line = output
        .split('\n')
        .find((candidate) => candidate.startsWith('Signalbox is ready'))
      if (line === undefined) return
      clearTimeout(late)
      resolve({ line, stop })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) =>
      reject(new Error(`The product ended with code ${code}:\n${output}`)),
    )
  })
}

async function signUp(link: string): Promise<void> {
  const browser = await chromium.launch(config.use?.launchOptions ?? {})
  const page = await browser.newPage()
  await page.goto(link)
  await page.getByLabel('Name').fill(ADMIN.name)
  await page.getByLabel('E-mail').fill(ADMIN.email)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Create the administrator' }).click()
  // The first page of a server that has just started.
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible({ timeout: 30_000 })
  await page.context().storageState({ path: path.join(ROOT, 'test-results/signed-in.json') })
  await browser.close()
}

export default async function startProduct(): Promise<() => Promise<void>> {
  const { line, stop } = await start()
  const link = /http\S+\/setup\?token=\S+/.exec(line)?.[0]
  if (link === undefined) throw new Error(`The first-run link was not printed: ${line} (${ORIGIN})`)
  try {
    await signUp(link)
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}
