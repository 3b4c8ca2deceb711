import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import {
  chromium,
  type FullConfig,
  type Locator,
  type Page,
  expect as plainExpect,
} from '@playwright/test'
import config from '../playwright.config.ts'
import { ADMIN, describeProduct, type Product, ROOT } from './product.ts'

const READY_WITHIN_MS = 180_000

/** Outside of tests, Playwright does not apply the time limit of the configuration. */
const expect = plainExpect.configure(config.expect ?? {})

type Stop = () => Promise<void>

/** Resolves with the line that reports readiness. */
export function start(
  { port, dataDir, archiveDir, mailPort }: Product,
  options: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly line: string; readonly stop: Stop }> {
  rmSync(dataDir, { recursive: true, force: true })
  mkdirSync(dataDir, { recursive: true })
  const child = spawn(
    process.execPath,
    [path.join(ROOT, 'scripts/start.mjs'), '--port', String(port), ...options],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        SIGNALBOX_DATA_DIR: dataDir,
        SIGNALBOX_ARCHIVE: archiveDir,
        // Receivers of the tests for messages that the product sends.
        SIGNALBOX_WEBHOOK_HOSTS: '127.0.0.1',
        SIGNALBOX_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
        SIGNALBOX_MAIL_FROM: 'Signalbox <alerts@console.example>',
        SIGNALBOX_SMTP_TLS: 'off',
        ...variables,
      },
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
    const late = setTimeout(() => {
      child.kill('SIGTERM')
      reject(new Error(`The product did not start:\n${output}`))
    }, READY_WITHIN_MS)
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

export async function becomeAdministrator(page: Page, line: string): Promise<void> {
  const link = /http\S+\/setup\?token=\S+/.exec(line)?.[0]
  if (link === undefined) throw new Error(`The first-run link was not printed: ${line}`)
  await page.goto(link)
  await page.getByLabel('Name').fill(ADMIN.name)
  await page.getByLabel('Email').fill(ADMIN.email)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Create the administrator' }).click()
  // The first page of a server that has just started.
  await expect(page.getByRole('heading', { name: 'Get started' })).toBeVisible({ timeout: 30_000 })
}

/** Get started until an agent has made a call in the project, then the Overview. */
export function firstPage(page: Page): Locator {
  return page.getByRole('heading', { name: /^(Overview|Get started)$/, level: 1 })
}

async function signUp({ signedIn }: Product, line: string): Promise<void> {
  const browser = await chromium.launch(config.use?.launchOptions ?? {})
  const page = await browser.newPage()
  await becomeAdministrator(page, line)
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  await page.context().storageState({ path: signedIn })
  await browser.close()
}

async function startSignedIn(product: Product): Promise<Stop> {
  const { line, stop } = await start(product, ['--no-demo'])
  try {
    await signUp(product, line)
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

export default async function startProducts({ workers }: FullConfig): Promise<Stop> {
  const starts = Array.from({ length: workers }, (_, worker) =>
    startSignedIn(describeProduct(worker)),
  )
  const started = await Promise.allSettled(starts)
  const stopAll = async () => {
    await Promise.all(started.map((one) => (one.status === 'fulfilled' ? one.value() : undefined)))
  }
  const failed = started.find((one) => one.status === 'rejected')
  if (failed === undefined) return stopAll
  await stopAll()
  throw failed.reason
}
