'use client'
import { useStore } from '@tanstack/react-form'
import type { z } from 'zod'
import { FormProblem, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { permilleText } from '@/components/releases/permille-text.ts'
import {
  NO_WORDS,
  ReleaseWordFields,
  toRefusedInput,
  toReleaseWords,
  WORD_FIELDS,
} from '@/components/releases/release-fields.tsx'
import { useStagedRolloutAction } from '@/components/releases/use-staged-rollout-actions.ts'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { isPassed, WordsInput } from '@/server/releases/release-input.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'

export interface ConfirmDialogProps {
  readonly rollout: RolloutView
  readonly ns: string
  readonly name: string
  readonly asked: 'raise' | 'complete'
  readonly share: number
  readonly onClose: () => void
}

export function ConfirmDialog({ rollout, ns, name, asked, share, onClose }: ConfirmDialogProps) {
  const { id, environment, version, liveVersion, requiresNote, requiresTypedName } = rollout
  const confirm = useStagedRolloutAction<z.input<typeof WordsInput>>(async (client, said) => {
    if (asked === 'raise')
      return client.stagedRollouts.share.mutate({ rolloutId: id, share, ...said })
    const where = { ns, key: name, environment, version, expectedLive: liveVersion }
    return client.releases.promote.mutate({ ...where, ...said })
  }, onClose)
  const form = useServerForm({
    values: NO_WORDS,
    schema: WordsInput,
    toInput: toReleaseWords,
    send: async (said) => {
      const outcome = await confirm.send(said)
      if (!outcome.ok) throw toRefusedInput(outcome)
    },
  })
  const isReady = useStore(form.store, ({ values }) =>
    rollout.demands.every((gate) => isPassed(gate, { environment, ...values })),
  )
  const verb =
    asked === 'raise' ? `Raise v${version} to ${permilleText(share)}` : `Release v${version} to all`
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={`${verb} in ${environment}`}
        description={
          asked === 'raise'
            ? 'Applies to new sessions; running ones keep their version.'
            : `Every new session in ${environment} gets v${version}; the staged rollout is complete.`
        }
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              disabled={!isReady || confirm.isPending}
              onClick={() => submitForm(form)}
            >
              {verb}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-3">
          <ReleaseWordFields
            form={form}
            fields={WORD_FIELDS}
            demands={{ name: environment, requiresNote, requiresTypedName }}
          />
          <FormProblem />
        </div>
      </Dialog>
    </form.AppForm>
  )
}
