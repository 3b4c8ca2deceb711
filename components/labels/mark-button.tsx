import { useRight } from '@/components/shell/use-right.ts'
import { Kbd } from '@/components/ui/kbd.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { type LabelProps, nameLabeled } from './label-props.ts'

/** The name of the session is absent, because the button is beside it. */
export function MarkButton({
  seq,
  hasKey,
  onMark,
}: Pick<LabelProps, 'seq'> & { readonly hasKey: boolean; readonly onMark: () => void }) {
  return (
    <ReasonedButton {...useRight('editor')} className="no-print self-start" onClick={onMark}>
      {seq === 0 ? 'Mark as bad' : `Mark ${nameLabeled(seq)} as bad`}
      {hasKey ? <Kbd>!</Kbd> : null}
    </ReasonedButton>
  )
}
