'use client'
import { type ComponentProps, type Ref, useRef } from 'react'
import { Button } from './button.tsx'

interface FileInputProps {
  /** Accessible name of the input, which only a button or a menu opens. */
  readonly label: string
  readonly accept: string
  readonly onFile: (file: File) => void
}

export function FileInput({
  ref,
  label,
  accept,
  onFile,
}: FileInputProps & { readonly ref: Ref<HTMLInputElement> }) {
  return (
    <input
      ref={ref}
      type="file"
      accept={accept}
      aria-label={label}
      className="sr-only"
      tabIndex={-1}
      onChange={({ target }) => {
        const file = target.files?.[0]
        if (file !== undefined) onFile(file)
        target.value = ''
      }}
    />
  )
}

export function FileButton({
  label,
  accept,
  onFile,
  ...props
}: Omit<ComponentProps<typeof Button>, 'onClick'> & FileInputProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput ref={input} label={label} accept={accept} onFile={onFile} />
      <Button {...props} onClick={() => input.current?.click()} />
    </>
  )
}
