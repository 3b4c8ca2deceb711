import type { Command } from 'commander'
import type { CommandContext } from './base/command-context.ts'
import type { Surroundings } from './base/surroundings.ts'

const NAME = 'SIGNALBOX_API_KEY'
const FORMER = 'SIGNALBOX_KEY'

/** A key under the former name is accepted, with a warning when a command runs. */
export function withApiKey(
  program: Command,
  { io, around }: Pick<CommandContext, 'io' | 'around'>,
): Surroundings {
  const former = around.env[FORMER]
  if (!former) return around
  const isSet = Boolean(around.env[NAME])
  program.hook('preAction', (_, command) => {
    // Harnesses show the output of hooks, and hooks need no key.
    if (command.name() === 'hook') return
    io.err(
      isSet
        ? `${FORMER} is ignored, because ${NAME} is set.`
        : `${FORMER} is the former name of ${NAME}. Rename it: a later release will ignore it.`,
    )
  })
  return isSet ? around : { ...around, env: { ...around.env, [NAME]: former } }
}
