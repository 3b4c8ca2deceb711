import path from 'node:path'
import { Argument, type Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, type Io } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import { daemonPaths } from '../daemon/daemon-paths.ts'
import { TARGETS } from '../init/targets.ts'
import { type Examined, type ExaminedDaemon, examine, examineDaemon } from './examine.ts'

interface DoctorOptions {
  readonly dir?: string
  readonly socket?: string
  readonly json: boolean
}

export function addDoctor(program: Command, context: CommandContext): void {
  const names = TARGETS.map(({ name }) => name)
  program
    .command('doctor')
    .description('Show which harnesses enforce guardrails here, and what they cannot enforce')
    .addArgument(
      new Argument('[harness...]', 'Harnesses to check')
        .choices(names)
        .default(undefined, 'all that are found'),
    )
    .option('--dir <folder>', 'Project folder (default: the current folder)')
    .option('--socket <path>', 'Daemon socket (env: SIGNALBOX_SOCKET)')
    .option('--json', 'Print one JSON object', false)
    .action(async (harnesses: readonly string[], options: DoctorOptions) =>
      context.done(await doctor(harnesses, options, context)),
    )
}

async function doctor(
  harnesses: readonly string[],
  { dir = '.', socket, json }: DoctorOptions,
  { io, around }: CommandContext,
): Promise<number> {
  const paths = daemonPaths(socket ?? null, around)
  const examination = { dir: path.resolve(around.cwd, dir), paths, around }
  const asked = TARGETS.filter(({ name }) => harnesses.length === 0 || harnesses.includes(name))
  const all = await Promise.all(asked.map((target) => examine(target, examination)))
  const isNamed = harnesses.length > 0
  const found = all.filter(({ version, files }) => isNamed || version !== null || files.length > 0)
  const daemon = await examineDaemon(examination)
  if (json)
    io.out(
      JSON.stringify({
        daemon: {
          answers: daemon.rules !== null,
          rules: daemon.rules,
          console: daemon.console,
          ...daemon.finding,
        },
        harnesses: found,
      }),
    )
  else {
    printDaemon(io, daemon)
    printHarnesses(io, found)
  }
  if (found.length === 0) return EXIT.unusable
  return daemon.finding === null && found.every(({ findings }) => findings.length === 0)
    ? EXIT.clean
    : EXIT.findings
}

function printDaemon(io: Io, { rules, finding, console: connection }: ExaminedDaemon): void {
  if (rules === null) {
    io.out(printable(`daemon: ${finding?.message}`))
    return
  }
  io.out('daemon: answers, and refused the canary (a call that must be refused)')
  io.out(printable(`rules: ${rules}`))
  if (connection !== null) io.out(printable(`console: ${connection['sentence']}`))
}

function printHarnesses(io: Io, found: readonly Examined[]): void {
  if (found.length === 0) {
    io.out('No harness was found on PATH, and none is set up here.')
    io.out('Set one up, in your project folder: signalbox init <harness>')
  }
  for (const { harness, version, files, can, cannot, findings } of found) {
    io.out(printable(`${harness} ${version ?? '(not on PATH)'}`))
    for (const file of files) io.out(printable(`  hooks in ${file}`))
    for (const sentence of can) io.out(printable(`  can: ${sentence}`))
    for (const sentence of cannot) io.out(printable(`  gap: ${sentence}`))
    for (const { message } of findings) io.out(printable(`  finding: ${message}`))
    if (findings.length === 0)
      io.out('  live: the canary was refused (a call that must be refused)')
  }
}
