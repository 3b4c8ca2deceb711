// The workflow of examples/github-action: its own commands, in a git repository, by the built command, against the real server.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtCli } from '../packages/cli/src/test/cli-process.ts'
import { withTestDatabase } from './db/test-database.ts'
import { type ApiServer, serveApi } from './test/api-server.ts'
import { callerOf, installed, makeKey, type TestProject } from './test/installation.ts'
import { configText } from './test/tenant.ts'

withTestDatabase()

const WORKFLOW = path.join(import.meta.dirname, '../examples/github-action/guardrails.yml')

let server: ApiServer
let project: TestProject
let key: string
let bin: string

beforeAll(async () => {
  project = await installed()
  key = await makeKey(project, { scopes: ['read', 'publish'] })
  server = await serveApi()
  bin = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-bin-'))
  const file = await builtCli(bin)
  const script = `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`
  fs.writeFileSync(path.join(bin, 'signalbox'), script, { mode: 0o755 })
})

afterAll(() => server.close())

/** The `run` of every step, by job and step. */
function commandsOf(workflow: string): ReadonlyMap<string, string> {
  const commands = new Map<string, string>()
  let [job, step] = ['', '']
  const lines = workflow.split('\n')
  for (const [at, line] of lines.entries()) {
    job = /^ {2}(\w+):$/.exec(line)?.[1] ?? job
    step = /^ {6}- name: (.+)$/.exec(line)?.[1] ?? step
    const run = /^ {8}run: (.+)$/.exec(line)?.[1]
    if (run === undefined) continue
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((next) => !next.startsWith(' '.repeat(10)))
    const block = rest.slice(0, end).map((next) => next.trim())
    commands.set(`${job} ${step}`, run === '|' ? block.join('\n') : run)
  }
  return commands
}

const commands = commandsOf(fs.readFileSync(WORKFLOW, 'utf8'))

interface Ran {
  readonly code: number | null
  readonly out: string
}

/** As GitHub runs a step on Linux: `bash -e`. The server answers from this process, so nothing here may block it. */
function step(name: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const command = commands.get(name)
  if (command === undefined) throw new Error(`The workflow has no step "${name}".`)
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', command], {
    cwd,
    env: {
      NODE_ENV: 'test',
      HOME: bin,
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      SIGNALBOX_URL: server.url,
      SIGNALBOX_API_KEY: key,
      ...env,
    },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })))
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ci', '-c', 'user.email=ci@example.test']
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' }).trim()
}

const prompt = { ns: 'team', key: 'agent' }

function commit(repository: string, words: string): string {
  const folder = path.join(repository, 'guardrails/team')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'agent.json'), configText(prompt, words))
  git(repository, 'add', '.')
  git(repository, 'commit', '--quiet', '--message', words)
  return git(repository, 'rev-parse', 'HEAD')
}

/** A clone of the commit, as a job begins with. */
function checkout(repository: string): string {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-job-')), 'work')
  execFileSync('git', ['clone', '--quiet', repository, folder])
  return folder
}

test('every command of the workflow is one that signalbox, git or gh has', () => {
  const words = [...commands.values()].flatMap((command) => command.match(/signalbox \w+/g) ?? [])
  expect(new Set(words)).toEqual(
    new Set(['signalbox check', 'signalbox diff', 'signalbox publish']),
  )
  const help = execFileSync(path.join(bin, 'signalbox'), ['--help'], { encoding: 'utf8' })
  for (const word of words) expect(help).toContain(`${word.split(' ')[1]} [options]`)
})

test('a pull request is told what changes, and its merge is released; a console release in between stops it', async () => {
  const repository = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-repository-'))
  git(repository, 'init', '--quiet')
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'empty')
  const empty = git(repository, 'rev-parse', 'HEAD')
  const first = commit(repository, 'first')

  const review = checkout(repository)
  expect(await step('review Check', review)).toMatchObject({ code: 0 })
  const compared = await step('review Compare', review)
  expect(compared).toMatchObject({ code: 0 })
  expect(fs.readFileSync(path.join(review, 'changes.md'), 'utf8')).toContain(
    '- ➕ Policy `order`: `deploy` needs `test` first',
  )

  const merge = async (before: string, note: string): Promise<Ran> => {
    const job = checkout(repository)
    expect(await step('publish Before', job, { BEFORE: before })).toMatchObject({ code: 0 })
    return await step('publish Publish', job, { NOTE: note })
  }
  expect(await merge(empty, 'first')).toMatchObject({
    code: 0,
    out: expect.stringContaining('v1 released to dev'),
  })
  const second = commit(repository, 'second')
  const hostile = '$(touch hacked); "x" `touch hacked`'
  expect(await merge(first, hostile)).toMatchObject({
    code: 0,
    out: expect.stringContaining('v2 released to dev'),
  })
  const publisher = await callerOf(project, 'publisher')
  expect((await publisher.configs.get(prompt)).releases[0]).toMatchObject({ note: hostile })

  const { draft } = await publisher.drafts.open(prompt)
  const seen = { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
  const text = configText(prompt, 'by hand')
  const saved = await publisher.drafts.save({ ...prompt, text, seen, baseVersion: null })
  const revision = saved.ok ? saved.revision : 0
  await publisher.releases.publish({ ...prompt, environment: 'dev', draftId: seen.id, revision })
  commit(repository, 'third')
  const stopped = await merge(second, 'third')
  expect(stopped).toMatchObject({ code: 1, out: expect.stringContaining('dev runs v3') })
}, 120_000)

test('a broken file fails the check with its place', async () => {
  const repository = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-repository-'))
  git(repository, 'init', '--quiet')
  commit(repository, 'fine')
  const file = path.join(repository, 'guardrails/team/agent.json')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('sequential_dependency', 'nonsense'))
  const { code, out } = await step('review Check', repository)
  expect(code).toBe(1)
  expect(out).toContain('/policies/0')
})
