import path from 'node:path'
import { ManagedRow } from '@signalbox/wire'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { formatExitCodes, formatHelpSection, Unusable } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import { ControlPlane, remoteSettings } from '../remote/control-plane.ts'
import { readLiveProject } from './live-project.ts'
import { buildPlan, type Plan, type Request, type Step } from './plan.ts'
import { parseProject, requireEnvironments } from './project-file.ts'
import { SecretsFile } from './secrets-file.ts'

/** Unlike other commands, so that a pipeline distinguishes waiting changes from a failure. */
const APPLY_EXIT = { done: 0, failed: 1, changes: 2, blocked: 3 } as const

const SECRETS = 'signalbox-secrets.jsonl'
const PREFIX_LENGTH = 'sbx_ab12cd34'.length

interface ApplyOptions {
  readonly url?: string
  readonly json: boolean
  readonly yes: boolean
  readonly plan: boolean
  readonly prune: boolean
  readonly secrets: string
}

interface Applied {
  readonly done: readonly Step[]
  readonly waiting: readonly Step[]
  /** Null: every step was done. */
  readonly why: string | null
}

export function addApply(program: Command, context: CommandContext): void {
  program
    .command('apply')
    .description('Show how a project differs from a file, or bring it to that state with --yes')
    .argument('<file>', 'Declared state of the project, such as project.json')
    .option('--url <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
    .option('--json', 'Print one JSON object', false)
    .addOption(new Option('--plan', 'Only show the plan, as without --yes').default(false))
    .addOption(new Option('--yes', 'Make the changes').default(false).conflicts('plan'))
    .option(
      '--prune',
      'Remove what the file does not declare, within the sections that it has',
      false,
    )
    .option(
      '--secrets <file>',
      'File for the secrets of new keys and the links of invitations',
      SECRETS,
    )
    .addHelpText(
      'after',
      formatHelpSection('Environment variables', {
        SIGNALBOX_API_KEY:
          'API key with the scopes admin and read, and every scope that it grants (Settings, API keys)',
      }),
    )
    .addHelpText(
      'after',
      formatExitCodes(
        'Done, or no changes',
        'Unusable, or a step failed',
        'Changes wait for --yes',
        'Every change that this API key may make is done; others need a key with other scopes',
      ),
    )
    .action(async (file: string, options: ApplyOptions) => {
      context.done(await applyOrExplain(context, file, options))
    })
}

async function applyOrExplain(
  context: CommandContext,
  file: string,
  options: ApplyOptions,
): Promise<number> {
  try {
    return await apply(context, file, options)
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    context.io.err(printable(error.message))
    return APPLY_EXIT.failed
  }
}

async function apply(
  { io, around: { env, cwd } }: CommandContext,
  file: string,
  { json, yes, prune, secrets, ...asked }: ApplyOptions,
): Promise<number> {
  const settings = remoteSettings(asked, env)
  const plane = new ControlPlane(settings)
  const text = await io.readText(path.resolve(cwd, file))
  const wanted = parseProject({ file, text, env })
  const live = await readLiveProject(plane, wanted, settings.key.slice(0, PREFIX_LENGTH))
  requireEnvironments(
    file,
    wanted,
    live.environments.map(({ name }) => name),
  )
  const plan = buildPlan(wanted, live, prune)
  const say = (line: string): void => {
    if (!json) io.out(printable(line))
  }
  for (const one of plan.steps) say(`${one.sign} ${one.words}`)
  for (const one of plan.blocked) say(blockedText(one))
  for (const words of plan.left) say(`  ${words}`)
  const isDone = yes || plan.steps.length === 0
  const applied = isDone
    ? await makeChanges(plane, plan, path.resolve(cwd, secrets))
    : { done: [], waiting: plan.steps, why: null }
  if (json) io.out(JSON.stringify(toJson(plan, applied)))
  if (isDone) return reportApplied(plan, applied, say)
  say('Nothing was changed yet. Run again with --yes to make these changes.')
  return APPLY_EXIT.changes
}

const blockedText = ({ sign, words, needs }: Plan['blocked'][number]): string =>
  `  ${sign} ${words}: needs a key with ${needs.join(', ')}`

/** Returns the exit code. */
function reportApplied(
  { blocked }: Plan,
  { done, waiting, why }: Applied,
  say: (line: string) => void,
): number {
  if (why !== null) {
    say(`Stopped: ${why}`)
    for (const one of done) say(`done      ${one.sign} ${one.words}`)
    for (const one of waiting) say(`not done  ${one.sign} ${one.words}`)
    say('Correct the reason, then run the command again: it continues from there.')
    return APPLY_EXIT.failed
  }
  const words = done.length === 0 ? 'No changes' : 'Done'
  if (blocked.length === 0) {
    say(`${words}.`)
    return APPLY_EXIT.done
  }
  say(`${words}, except for what this API key cannot do:`)
  for (const one of blocked) say(blockedText(one))
  say('Run the command again with a key that has these scopes.')
  return APPLY_EXIT.blocked
}

function toJson({ left, blocked }: Plan, { done, waiting, why }: Applied): object {
  const shown = (steps: readonly Step[]) => steps.map(({ sign, words }) => ({ sign, words }))
  return { ok: why === null, why, done: shown(done), waiting: shown(waiting), blocked, left }
}

async function makeChanges(plane: ControlPlane, { steps }: Plan, file: string): Promise<Applied> {
  const secrets = steps.some(({ secret }) => secret !== undefined) ? SecretsFile.open(file) : null
  try {
    for (const [at, one] of steps.entries()) {
      const why = await makeChange(plane, one, secrets)
      if (why !== null) return { done: steps.slice(0, at), waiting: steps.slice(at), why }
    }
    return { done: steps, waiting: [], why: null }
  } finally {
    secrets?.close()
  }
}

/** Returns the reason for which the step failed; null: it is done. */
async function makeChange(
  plane: ControlPlane,
  { request, secret, next, words }: Step,
  secrets: SecretsFile | null,
): Promise<string | null> {
  try {
    const answer = await send(plane, request)
    if (secret !== undefined) secrets?.append({ ...secret, ...answer })
    if (next !== undefined) await send(plane, next(String(answer['id'])))
    return null
  } catch (error) {
    if (error instanceof Unusable) return `${words}: ${error.message}`
    throw error
  }
}

async function send(plane: ControlPlane, request: Request): Promise<ManagedRow> {
  return (await plane.need({ ...request, schema: ManagedRow.optional() })) ?? {}
}
