import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  CONNECT_AGENTS,
  type ConnectAgentName,
  findConnectAgent,
} from '@/components/runtimes/connect-agents.ts'
import { connectCommands } from '@/components/runtimes/connect-commands.ts'
import { commandPackage } from '@/server/runtimes/served-packages.ts'
import { listDocumentBlocks } from '../document-blocks.mjs'
import { exited, ROOT, said } from '../product-process.ts'
import { IS_SOAK } from '../soak-sample.mjs'
import { findPython } from '../system-programs.mjs'
import type { ShippedProduct } from './shipped-product.ts'

const execute = promisify(execFile)

/** The steps that the documents' tests do not run: those of an agent of one's own. */
export function describeConsoleCommands(folder: string, shipped: () => ShippedProduct): void {
  async function shownCommand(
    agent: ConnectAgentName,
    id: string,
    apiKey: string | null = null,
  ): Promise<string> {
    const served = await commandPackage()
    if (served === null) throw new Error('The product was built without its command.')
    const { url } = shipped()
    const steps = connectCommands({
      serverUrl: url,
      commandPackage: served,
      apiKey,
      prompt: 'demo/release-notes',
      agent: findConnectAgent(agent),
    })
    return steps.find((step) => step.id === id)?.command ?? ''
  }

  function emptyFolder(name: string): string {
    const place = path.join(folder, name)
    fs.mkdirSync(place)
    return place
  }

  describe('commands that the console shows for an agent of one’s own', () => {
    test('npm installs the library with its dependencies, ours from this server, and it can be imported', async () => {
      const cwd = emptyFolder('typescript')
      const command = await shownCommand('typescript', 'library')
      await execute('/bin/sh', ['-c', command], { cwd })
      const lock = JSON.parse(fs.readFileSync(path.join(cwd, 'package-lock.json'), 'utf8'))
      for (const name of ['core', 'runtime', 'wire']) {
        const { integrity, version } = lock.packages[`node_modules/@signalbox/${name}`]
        const file = path.join(ROOT, `dist/packages/signalbox-${name}-${version}.tgz`)
        const digest = createHash('sha512').update(fs.readFileSync(file)).digest('base64')
        expect(integrity).toBe(`sha512-${digest}`)
      }
      const program =
        "import { createGuardrails } from '@signalbox/runtime'; console.log(typeof createGuardrails)"
      const { stdout } = await execute('node', ['--input-type=module', '-e', program], { cwd })
      expect(stdout.trim()).toBe('function')
    })

    // The tests of the documents install the libraries of all.
    test
      .runIf(IS_SOAK)
      .each(['ai-sdk', 'openai-agents', 'langchain', 'langgraph', 'mastra'] as const)(
      'npm installs what the program of the tab %s imports, ours from this server',
      async (agent) => {
        const cwd = emptyFolder(agent)
        await execute('/bin/sh', ['-c', await shownCommand(agent, 'library')], { cwd })
        const imports = [...(await shownCommand(agent, 'code')).matchAll(/from '([^']+)'/g)]
        const program = imports.map(([, name]) => `await import('${name}')`).join('; ')
        await execute('node', ['--input-type=module', '-e', program], { cwd })
      },
    )

    test('the programs of the tabs are those that the tests of the documents run', async () => {
      const { programs } = (await commandPackage()) ?? { programs: {} }
      const run = listDocumentBlocks().filter(({ notRun }) => notRun === null)
      const withProgram = CONNECT_AGENTS.filter(({ way }) => way === 'program')
      expect(Object.keys(programs).sort()).toEqual(withProgram.map(({ value }) => value).sort())
      for (const [agent, program] of Object.entries(programs))
        expect(
          run.map(({ text }) => text),
          agent,
        ).toContain(program)
    })

    test('an agent in Python that follows every step is guarded', async () => {
      const home = emptyFolder('guarded')
      const env: NodeJS.ProcessEnv = {
        NODE_ENV: 'production',
        PATH: `${home}/bin:${process.env['PATH']}`,
        HOME: home,
        NPM_CONFIG_PREFIX: home,
        PIP_NO_INDEX: '1',
      }
      const run = { cwd: home, env }
      await execute('/bin/sh', ['-c', await shownCommand('python', 'install')], run)
      const start = await shownCommand('python', 'daemon', await shipped().product.key())
      // Another daemon of this machine may have the default port, which only hooks of coding agents use.
      const daemon = spawn('/bin/sh', ['-c', start.replace(/\n(.*)$/, '\nexec $1 --port off')], run)
      try {
        await said(daemon, /agents of demo\/release-notes on /)
        const client = await shownCommand('python', 'client')
        await execute('/bin/sh', ['-c', client.replace(/^python3/, findPython())], run)
        const agent = `${await shownCommand('python', 'code')}

    @s.tool
    def publish_notes() -> str:
        return "published"

    try:
        print(publish_notes())
    except signalbox.Denied as denied:
        print(denied)
`
        const { stdout } = await execute('.venv/bin/python3', ['-c', agent], run)
        expect(stdout).toContain('run_tests')
      } finally {
        daemon.kill('SIGTERM')
        await exited(daemon)
      }
    })

    test('pip installs the Python client, and refuses it when its digest is another', async () => {
      const cwd = emptyFolder('python')
      const command = (await shownCommand('python', 'client')).replace(/^python3/, findPython())
      const run = { cwd, env: { ...process.env, PIP_NO_INDEX: '1', PIP_NO_CACHE_DIR: '1' } }
      const program = 'import signalbox; print(signalbox.session.__name__)'
      const importClient = () => execute('.venv/bin/python3', ['-c', program], run)
      const other = command.replace(/sha256=.{4}/, 'sha256=0000')
      await expect(execute('/bin/sh', ['-c', other], run)).rejects.toThrow(/do not match|mismatch/i)
      await expect(importClient()).rejects.toThrow('No module named')
      await execute('/bin/sh', ['-c', command], run)
      const { stdout } = await importClient()
      expect(stdout.trim()).toBe('session')
    })
  })
}
