/** Made of src/device/values.inc by values_plugin.mjs. */
declare module 'sonde:values' {
  export const valueMeanings: Record<string, { group: string; meaning: string }>;
}
