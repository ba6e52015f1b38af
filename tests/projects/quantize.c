// What a user of libimagequant does: a picture becomes one of few colours, and is close to what it was.
#include <libimagequant.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWidth = 300, kHeight = 200 };

int main(void) {
  unsigned char *rgba = malloc(kWidth * kHeight * 4), *made = malloc(kWidth * kHeight);
  for (int y = 0; y < kHeight; y++)
    for (int x = 0; x < kWidth; x++) {
      unsigned char *p = rgba + 4 * (y * kWidth + x);
      p[0] = (unsigned char)(x * 255 / kWidth), p[1] = (unsigned char)(y * 255 / kHeight);
      p[2] = (unsigned char)((x * y) % 256), p[3] = 255;
    }
  liq_attr *attr = liq_attr_create();
  liq_set_max_colors(attr, 128);
  liq_image *image = liq_image_create_rgba(attr, rgba, kWidth, kHeight, 0);
  liq_result *result;
  if (liq_image_quantize(image, attr, &result) != LIQ_OK) return 1;
  liq_set_dithering_level(result, 0.7f);
  if (liq_write_remapped_image(result, image, made, kWidth * kHeight) != LIQ_OK) return 2;
  const liq_palette *palette = liq_get_palette(result);
  double error = 0;
  for (int i = 0; i < kWidth * kHeight; i++) {
    const liq_color *c = &palette->entries[made[i]];
    const int r = c->r - rgba[4 * i], g = c->g - rgba[4 * i + 1], b = c->b - rgba[4 * i + 2];
    error += r * r + g * g + b * b;
  }
  error /= kWidth * kHeight;
  if (palette->count < 100 || error > 1000) {
    printf("%d colours, error %g\n", (int)palette->count, error);
    return 3;
  }
  return 0;
}
