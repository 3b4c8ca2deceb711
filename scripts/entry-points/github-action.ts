import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../product-process.ts'
import { type Environment, type InstalledCommand, outcome } from './installed-command.ts'
import { configText } from './operation-cases.mjs'
import type { ShippedProduct } from './shipped-product.ts'

const WORKFLOW = path.join(ROOT, 'examples/github-action/guardrails.yml')

function parseCommands(workflow: string): ReadonlyMap<string, string> {
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

const commands = parseCommands(fs.readFileSync(WORKFLOW, 'utf8'))

/** `name`: job and step, such as `review Check`. */
export function findWorkflowStep(name: string): string {
  const command = commands.get(name)
  if (command === undefined) throw new Error(`The workflow has no step "${name}".`)
  return command
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ci', '-c', 'user.email=ci@example.test']
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' }).trim()
}

const hasGit = spawnSync('git', ['--version']).status === 0
const NEEDS = hasGit ? '' : ' (skipped: git is not installed, apt-get install git)'

/** Replaces GitHub's program, and records its arguments. */
const GH = '#!/bin/sh\nprintf "%s\\n" "$@" > comment.txt\n'

/** `folder` must be empty. */
export function testWorkflow(
  folder: string,
  used: () => { readonly shipped: ShippedProduct; readonly command: InstalledCommand },
): void {
  const prompt = { ns: 'team', key: 'agent' }
  let jobs = 0

  async function step(name: string, cwd: string, env: Environment = {}) {
    const { shipped, command } = used()
    const { url, product } = shipped
    const secrets = {
      SIGNALBOX_URL: url,
      SIGNALBOX_API_KEY: await product.key({ scopes: ['read', 'publish'] }),
      PATH: `${path.join(folder, 'gh')}:${command.env['PATH']}`,
    }
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', findWorkflowStep(name)]
    const child = spawn('bash', args, {
      cwd,
      env: { NODE_ENV: 'test', ...command.env, ...secrets, ...env },
    })
    const { code, out, err } = await outcome(child)
    return { code, out: out + err }
  }

  function newRepository(): string {
    const repository = path.join(folder, `repository-${++jobs}`)
    fs.mkdirSync(repository, { recursive: true })
    git(repository, 'init', '--quiet')
    return repository
  }

  function commit(repository: string, words: string): string {
    const place = path.join(repository, 'guardrails/team')
    fs.mkdirSync(place, { recursive: true })
    fs.writeFileSync(path.join(place, 'agent.json'), configText(prompt, words))
    git(repository, 'add', '.')
    git(repository, 'commit', '--quiet', '--message', words)
    return git(repository, 'rev-parse', 'HEAD')
  }

  function checkout(repository: string): string {
    const job = path.join(folder, `job-${++jobs}`, 'work')
    execFileSync('git', ['clone', '--quiet', repository, job])
    return job
  }

  test('every step of the workflow was run', () => {
    const run = ['Install', 'Check', 'Compare', 'Comment'].map((name) => `review ${name}`)
    const released = ['Install', 'Before', 'Publish'].map((name) => `publish ${name}`)
    expect([...commands.keys()]).toEqual([...run, ...released])
    expect(findWorkflowStep('publish Install')).toBe(findWorkflowStep('review Install'))
  })

  test.skipIf(!hasGit)(
    `the workflow comments on a pull request, releases its merge, and stops after a release in the console${NEEDS}`,
    async () => {
      const { shipped } = used()
      const repository = newRepository()
      git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'empty')
      const empty = git(repository, 'rev-parse', 'HEAD')
      const first = commit(repository, 'first')

      const review = checkout(repository)
      expect(await step('review Check', review)).toMatchObject({ code: 0 })
      expect(await step('review Compare', review)).toMatchObject({ code: 0 })
      expect(fs.readFileSync(path.join(review, 'changes.md'), 'utf8')).toContain(
        '- ➕ Policy `order`: `deploy` needs `test` first',
      )
      fs.mkdirSync(path.join(folder, 'gh'))
      fs.writeFileSync(path.join(folder, 'gh/gh'), GH, { mode: 0o755 })
      expect(await step('review Comment', review, { PULL_REQUEST: '7' })).toMatchObject({ code: 0 })
      expect(fs.readFileSync(path.join(review, 'comment.txt'), 'utf8').split('\n')).toEqual(
        expect.arrayContaining(['pr', 'comment', '7', '--body-file', 'changes.md']),
      )

      const merge = async (before: string, note: string) => {
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
      const { ask, tell } = shipped.person
      expect(await ask('configs.get', prompt)).toMatchObject({ releases: [{ note: hostile }, {}] })

      const opened = (await ask('drafts.open', prompt)) as {
        draft: { id: string; revision: number }
      }
      const { id, revision } = opened.draft
      const text = configText(prompt, 'by hand')
      await tell('drafts.save', { ...prompt, text, seen: { id, revision }, baseVersion: null })
      const release = { environment: 'dev', draftId: id, revision: revision + 1 }
      expect(await tell('releases.publish', { ...prompt, ...release })).toMatchObject({ ok: true })
      commit(repository, 'third')
      const stopped = await merge(second, 'third')
      expect(stopped).toMatchObject({ code: 1, out: expect.stringContaining('dev runs v3') })
    },
  )

  test.skipIf(!hasGit)(
    `the workflow fails its check of a broken file with the position${NEEDS}`,
    async () => {
      const repository = newRepository()
      commit(repository, 'fine')
      const file = path.join(repository, 'guardrails/team/agent.json')
      fs.writeFileSync(
        file,
        fs.readFileSync(file, 'utf8').replace('sequential_dependency', 'nonsense'),
      )
      const { code, out } = await step('review Check', repository)
      expect(code).toBe(1)
      expect(out).toContain('/policies/0')
    },
  )
}
